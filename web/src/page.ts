import { mount } from 'svelte';
import App from './part/App.svelte';
import { paper, steps, theme } from './state/browser.svelte';
import { works } from './worker/worker';
import './app.css';

if (!works()) {
  for (const state of [paper, steps, theme]) state.listen();
  const target = document.getElementById('app');
  if (target !== null) mount(App, { target });
}
