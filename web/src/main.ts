import { mount } from 'svelte';
import './app.css';
import App from './part/App.svelte';
import { paper } from './state/paper.svelte';
import { steps } from './state/steps.svelte';
import { theme } from './state/theme.svelte';
import { works } from './worker/worker';

if (!works()) {
  for (const state of [paper, steps, theme]) state.listen();
  const target = document.getElementById('app');
  if (target !== null) mount(App, { target });
}
