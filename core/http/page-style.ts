import { readFileSync } from 'node:fs'

const tokens = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

/** The style of the pages without scripts: system font, light and dark colors, visible focus. */
export const style = `
${tokens}
* { box-sizing: border-box; }
body {
  margin: 0;
  padding: 0 1rem 4rem;
  font: 1rem/1.55 system-ui, sans-serif;
  background: var(--ground);
  color: var(--text);
}
header, main { max-width: 34rem; margin: 0 auto; }
header { padding: 2.5rem 0 1rem; font-weight: 650; letter-spacing: 0.02em; color: var(--accent); }
main { padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; }
@media (max-width: 30rem) { header { padding-top: 1.25rem; } main { padding: 1.25rem; } }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
p, ul, form { margin: 0 0 1rem; }
main > :last-child { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
h1, p, li, code, a, strong { overflow-wrap: anywhere; }
code { font: 0.9em var(--mono); padding: 0.1em 0.3em; border-radius: 0.25rem; background: var(--ground); }
label { display: block; font-weight: 550; }
input {
  display: block;
  width: 100%;
  margin: 0.25rem 0 1rem;
  padding: 0.55rem 0.7rem;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: 0.4rem;
}
button {
  display: block;
  width: 100%;
  padding: 0.6rem 1rem;
  font: inherit;
  font-weight: 600;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: 0.4rem;
  cursor: pointer;
}
button:hover { filter: brightness(1.08); }
button.plain { width: auto; padding: 0.35rem 0.8rem; font-weight: 500; color: var(--text); background: transparent; border-color: var(--edge); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hint { margin: -0.7rem 0 1rem; font-size: 0.9rem; color: var(--quiet); }
time { white-space: nowrap; }
.quiet { font-size: 0.9rem; color: var(--quiet); }
.note, .problem { padding: 0.7rem 0.9rem; border-radius: 0.4rem; background: var(--good-ground); }
.problem { color: var(--bad); background: var(--bad-ground); }
.problem code { background: transparent; padding: 0; }
.or { display: flex; gap: 0.8rem; align-items: center; color: var(--quiet); }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
ul.list { padding: 0; list-style: none; }
ul.list > li { display: flex; gap: 1rem; justify-content: space-between; align-items: center; padding: 0.7rem 0; border-top: 1px solid var(--line); }
ul.list form { margin: 0; flex: none; }
.role { flex: none; }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.row form { margin: 0; }
`
