// The editor of the page, over CodeMirror. It lives in a shadow root: there its styles are sheets, which the page's policy lets pass.
// The colours are the variables of page.css, which reach into the root.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const TINT = (colour, part) => `color-mix(in srgb, var(${colour}) ${part}%, transparent)`;
const LOOKS = EditorView.theme({
  "&": { height: "100%", background: "var(--back)", color: "var(--ink)", fontSize: "14px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { overflow: "auto", fontFamily: "ui-monospace, monospace", lineHeight: "1.45" },
  ".cm-gutters": { background: "var(--raised)", color: "var(--dim)", border: "none" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-activeLine": { background: TINT("--accent", 7) },
  ".cm-line::selection, .cm-line ::selection": { background: TINT("--accent", 28) },
  "&.cm-focused .cm-matchingBracket": { background: TINT("--accent", 28) },
  ".cm-line.error": { background: TINT("--bad", 18), boxShadow: "inset 4px 0 var(--bad)" },
});
const COLOURS = HighlightStyle.define([
  { tag: [tags.comment], color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.self], color: "var(--c3)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--c2)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--c1)" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.className], color: "var(--accent)" },
]);
// A map: a file may be called "constructor".
const LANGUAGES = new Map(Object.entries({ py: [python(), indentUnit.of("    ")], js: [javascript(), indentUnit.of("  ")] }));

// Lines of an error. The marks of @codemirror/lint are images, which the page's policy refuses.
const marking = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update: (all, { changes, effects }) => effects.reduce((now, effect) => (effect.is(marking) ? effect.value : now), all.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
});

// Esc and then Tab leave the editor, however long that takes. Any other key gives Tab its work again.
const leaving = EditorView.domEventHandlers({
  keydown: ({ key }, view) => { if (!["Tab", "Shift"].includes(key)) view.setTabFocusMode(key === "Escape"); },
  focus: (_, view) => view.setTabFocusMode(false),
});

// Of a text that is typed over another one, Chromium would copy the style into an attribute, which the page's policy refuses.
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || !event.data || view.state.selection.main.empty || view.composing) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

// Put an editor into an element. `plays` is called by Ctrl-Enter, or Cmd-Enter; `changes` whenever a text has changed.
export function editor(host, plays, changes) {
  const root = host.attachShadow({ mode: "open" });
  const states = new Map();
  const opened = new Map(); // each text as it was, with its ends of lines
  let shown = "";
  const stateOf = (name, doc) => EditorState.create({
    doc,
    extensions: [
      lineNumbers(), history(), highlightSpecialChars(), highlightActiveLine(), indentOnInput(), bracketMatching(),
      LANGUAGES.get(name.split(".").at(-1)) ?? [], syntaxHighlighting(COLOURS), LOOKS, marked, leaving, replacing,
      EditorView.contentAttributes.of({ "aria-label": `${name}. Esc and then Tab leave the editor.` }),
      EditorView.updateListener.of((update) => update.docChanged && changes()),
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (plays(), true) }])),
      keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
    ],
  });
  const view = new EditorView({ root, parent: root });
  const show = (name) => {
    if (states.has(shown)) states.set(shown, view.state);
    shown = name;
    view.setState(states.get(name));
  };
  return {
    // Take other files in place of those that it has.
    open(files, first) {
      states.clear();
      shown = ""; // or the text that is shown would stay under its name
      for (const [name, text] of Object.entries(files)) {
        states.set(name, stateOf(name, text));
        opened.set(name, { text, doc: states.get(name).doc });
      }
      show(first);
    },
    show,
    shown: () => shown,
    files() {
      if (states.has(shown)) states.set(shown, view.state);
      return Object.fromEntries([...states].map(([name, { doc }]) => [name, doc.eq(opened.get(name).doc) ? opened.get(name).text : doc.toString()]));
    },
    // Mark a line of a file, or of all files none. shows: bring it into view.
    mark(name, line, text, shows) {
      for (const [one, state] of states) if (one !== shown) states.set(one, state.update({ effects: marking.of(Decoration.none) }).state);
      view.dispatch({ effects: marking.of(Decoration.none) });
      if (!states.has(name)) return;
      if (shows) show(name);
      const { doc } = name === shown ? view.state : states.get(name);
      if (!(line >= 1 && line <= doc.lines)) return;
      const { from } = doc.line(line);
      const attributes = { title: text, "aria-label": text };
      const effects = [marking.of(Decoration.set(Decoration.line({ class: "error", attributes }).range(from)))];
      if (name !== shown) states.set(name, states.get(name).update({ effects }).state);
      else view.dispatch({ effects: shows ? [...effects, EditorView.scrollIntoView(from, { y: "center" })] : effects });
    },
    focus: () => view.focus(),
  };
}
