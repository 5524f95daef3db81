import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

/**
 * Put the script and the style into the page, so that it is one file that works from a disk. The script is a function,
 * which workers run, too.
 */
function oneFile(name: string): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    transformIndexHtml: { order: 'pre', handler: (html) => html.replace('/src/page.ts', `/src/${name}.ts`) },
    generateBundle(_, bundle) {
      const parts = Object.entries(bundle).filter(([name]) => name !== 'index.html');
      const page = bundle['index.html'];
      if (page.type !== 'asset') throw new Error('the page is no page');
      let html = String(page.source).replace(
        /\s*<(script|link)[^>]*(src|href)="(?!data:)[^"]*"[^>]*>(<\/script>)?/g,
        '',
      );
      for (const [name, part] of parts) {
        const [tag, text, before] =
          part.type === 'chunk'
            ? [
                '<script>',
                part.code.replaceAll('</script', '<\\/script').replace('(function()', '(function podium()'),
                '</body>',
              ]
            : ['<style>', String(part.source), '</head>'];
        html = html.replace(before, () => `${tag}${text.trim()}</${tag.slice(1).replace(/[ >].*/, '')}>\n  ${before}`);
        Reflect.deleteProperty(bundle, name);
      }
      page.source = html;
      page.fileName = `${name}.html`;
    },
  };
}

/**
 * Leave out what libraries have for others: Svelte's way to take over markup that a server made, and the queue of
 * programs in whole numbers. Bundlers do not see that nothing here asks for them.
 */
function withoutUnused(): Plugin {
  return {
    name: 'without-unused',
    enforce: 'pre',
    load(id) {
      return id.endsWith('/heap/index.js') ? 'export default class {}' : null;
    },
    transform(code, id) {
      if (!id.endsWith('/svelte/src/internal/client/dom/hydration.js')) return null;
      return code.replace('let hydrating', 'const hydrating').replace('hydrating = value', 'void value');
    },
  };
}

/** Build the page, or with `--mode desk` what a server shows before it: tables, questions and answers. */
export default defineConfig(({ mode }) => ({
  plugins: [withoutUnused(), svelte(), oneFile(mode === 'desk' ? 'desk' : 'page')],
  build: {
    outDir: process.env.PAGE_FOLDER ?? '../src/podium/webpage/static',
    emptyOutDir: mode !== 'desk',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      output: { format: 'iife', codeSplitting: false },
    },
  },
}));
