// Runs the page: its style and its script stand in it as compressed text. The policy of the page names both scripts.
(async () => {
  const unpacked = (name) => {
    const letters = atob(document.querySelector(`[data-code=${name}]`).textContent);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  };
  const [style, code] = await Promise.all(['style', 'script'].map(unpacked));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  const script = document.createElement('script');
  script.textContent = code;
  document.head.append(script);
  script.remove();
})();
