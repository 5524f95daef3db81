import { mount } from 'svelte';
import AnswerView from './part/AnswerView.svelte';
import StartView from './part/StartView.svelte';
import { theme } from './state/browser.svelte';
import './app.css';

theme.listen();
const target = document.getElementById('app') ?? document.body;
/** The number of an answer, if the address is that of one. */
const number = /^\/answers\/([0-9a-f]{16})$/.exec(location.pathname)?.[1];
if (number === undefined) mount(StartView, { target });
else mount(AnswerView, { target, props: { number } });
