// Runs the page: its style and its script stand in it as compressed text. The policy of the page names both scripts.
// What says that the page cannot be shown is hidden from the start, and shown if the file is damaged or not whole.
(() => {
  const only = (style) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
  };
  const unpacked = (name) => {
    const text = document.querySelector(`[data-code=${name}]`).textContent;
    const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  };
  only('#unread { display: none }');
  document.addEventListener('DOMContentLoaded', async () => {
    try {
      const [style, code] = await Promise.all([unpacked('style'), unpacked('script')]);
      only(style);
      const script = document.createElement('script');
      script.textContent = code;
      document.head.append(script);
      script.remove();
    } catch {
      document.adoptedStyleSheets = [];
    }
  });
})();
