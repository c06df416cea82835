/** Puts the page into its place. */
import { render } from 'preact';
import { App } from './app.tsx';

const place = document.getElementById('page');
if (place) render(<App />, place);
