// The beginning of the page: the token, the theme, and the frame.
import { render } from 'preact';
import { takeToken } from './api/client';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import './style/pages.css';
import './style/narrow.css';
import 'uplot/dist/uPlot.min.css';
import { askBeforeLeaving } from './desk/drafts';
import { App } from './ui/shell';
import { applyTheme, storedTheme } from './ui/theme';

applyTheme(storedTheme());
askBeforeLeaving();
const hasToken = takeToken() !== null;
const root = document.getElementById('app');
if (root) render(<App hasToken={hasToken} />, root);
