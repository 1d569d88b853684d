// The editor: CodeMirror with Python, marks at failing lines, and what each line computed.

import {
  bracketMatching,
  Compartment,
  Decoration,
  defaultKeymap,
  drawSelection,
  EditorState,
  EditorView,
  gutter,
  GutterMarker,
  highlightActiveLine,
  highlightSelectionMatches,
  highlightSpecialChars,
  HighlightStyle,
  history,
  historyKeymap,
  indentOnInput,
  indentUnit,
  indentWithTab,
  keymap,
  LanguageSupport,
  lineNumbers,
  lintGutter,
  lintKeymap,
  Prec,
  pythonLanguage,
  RangeSet,
  search,
  searchKeymap,
  setDiagnostics,
  StateEffect,
  StateField,
  syntaxHighlighting,
  tags,
  WidgetType,
} from "./codemirror.js";

const MARKS = { right: "✓", left: "✗", follows: "↓", unknown: "·" };
const SAID = {
  right: "same as the reference",
  left: "differs from here",
  follows: "only follows from a line above",
  unknown: "not compared",
};

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--desk-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--desk-string)" },
  { tag: tags.comment, color: "var(--desk-comment)", fontStyle: "italic" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--desk-number)" },
  { tag: [tags.definition(tags.variableName), tags.className], color: "var(--desk-name)" },
  { tag: tags.function(tags.variableName), color: "var(--desk-name)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "0.875rem", backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--desk-mono)", lineHeight: "1.5" },
  ".cm-gutters": {
    backgroundColor: "var(--desk-ground)",
    color: "var(--desk-soft)",
    borderColor: "var(--desk-line)",
  },
  ".cm-content": { caretColor: "var(--desk-ink)" },
  ".cm-cursor": { borderLeftColor: "var(--desk-ink)" },
  ".cm-activeLine": { backgroundColor: "var(--desk-active)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--desk-selected)",
  },
  ".cm-selectionBackground": { backgroundColor: "var(--desk-selected)" },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--desk-raised)",
    color: "var(--desk-ink)",
    borderColor: "var(--desk-line)",
  },
  ".cm-tooltip": { maxWidth: "32rem", whiteSpace: "pre-wrap" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px dotted var(--desk-wrong)" },
  ".cm-gutters-after": { borderLeft: "1px solid var(--desk-line)", borderRight: "none" },
  ".cm-margin .cm-gutterElement": {
    padding: "0 0.4rem",
    fontSize: "0.75rem",
    whiteSpace: "pre",
  },
  ".cm-margin .right": { color: "var(--desk-right)" },
  ".cm-margin .left": { color: "var(--desk-wrong)", fontWeight: "700" },
  ".cm-margin .follows": { color: "var(--desk-soft)" },
  ".cm-here": {
    padding: "0 6px",
    color: "var(--desk-wrong)",
    backgroundColor: "var(--desk-warm)",
    fontStyle: "italic",
  },
});

/** What one line computed, beside it. */
class Note extends GutterMarker {
  constructor(one) {
    super();
    this.one = one;
    this.elementClass = one.mark;
  }

  eq(other) {
    return JSON.stringify(this.one) === JSON.stringify(other.one);
  }

  toDOM() {
    const { mark, shape, name } = this.one;
    const made = document.createElement("span");
    made.append(MARKS[mark], Object.assign(document.createElement("span"), { textContent: ` ${shape}` }));
    made.title = [shape, name, SAID[mark]].filter(Boolean).join(", ");
    return made;
  }
}

/** Stands between two lines where one is missing. */
class Here extends WidgetType {
  constructor(indent) {
    super();
    this.indent = indent;
  }

  eq(other) {
    return this.indent === other.indent;
  }

  toDOM() {
    const textContent = `${" ".repeat(this.indent)}‹ insert here ›`;
    return Object.assign(document.createElement("div"), { className: "cm-here", textContent });
  }
}

const setHere = StateEffect.define();
const here = StateField.define({
  create: () => Decoration.none,
  update(now, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setHere));
    return set ? set.value : now.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setMargin = StateEffect.define();
const margin = StateField.define({
  create: () => RangeSet.empty,
  update(notes, transaction) {
    let now = notes.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMargin)) now = effect.value;
    return now;
  },
  provide: (field) =>
    gutter({
      class: "cm-margin",
      side: "after",
      markers: (view) => view.state.field(field),
      initialSpacer: (view) => widest(view.state.field(field)),
      updateSpacer: (spacer, { state }) => widest(state.field(field)),
    }),
});

/** The note that needs the most room: the margin is as wide wherever the file is scrolled to. */
function widest(notes) {
  let found = new Note({ mark: "unknown", shape: "" });
  for (const at = notes.iter(); at.value; at.next()) {
    if (at.value.one.shape.length > found.one.shape.length) found = at.value;
  }
  return found;
}

/** An editor in `parent`. `nonce` lets it add styles; `onLeave` is called when Escape leaves it. */
export function createEditor({ parent, nonce, label, onChange, onSave, onLeave }) {
  const readOnly = new Compartment();
  const keys = [
    { key: "Mod-s", preventDefault: true, run: () => (onSave(), true) },
    ...searchKeymap,
    ...historyKeymap,
    ...lintKeymap,
    indentWithTab,
    ...defaultKeymap,
  ];
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce),
        lineNumbers(),
        lintGutter(),
        margin,
        here,
        EditorView.lineWrapping,
        history(),
        highlightSpecialChars(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        new LanguageSupport(pythonLanguage),
        syntaxHighlighting(colours),
        look,
        readOnly.of([]),
        keymap.of(keys),
        Prec.lowest(keymap.of([{ key: "Escape", run: () => (onLeave(), true) }])),
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-describedby": "desk-keys",
          spellcheck: "false",
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => update.docChanged && onChange()),
      ],
    }),
  });

  function lineAt(number) {
    return view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  }

  return {
    text: () => view.state.doc.toString(),
    focus: () => view.focus(),

    /** Puts another text there, and leaves what is the same where it is. */
    setText(text) {
      const before = view.state.doc.toString();
      let start = 0;
      let end = Math.min(before.length, text.length);
      while (start < end && before[start] === text[start]) start += 1;
      end -= start;
      let same = 0;
      while (same < end && before.at(-1 - same) === text.at(-1 - same)) same += 1;
      const changes = {
        from: start,
        to: before.length - same,
        insert: text.slice(start, text.length - same),
      };
      if (before !== text) view.dispatch({ changes });
    },

    /** Refuses changes, or takes them again. */
    lock(locked) {
      view.dispatch({
        effects: readOnly.reconfigure(locked ? EditorState.readOnly.of(true) : []),
      });
    },

    /** Marks the one line to change, or the place after it where something is missing. */
    mark(place) {
      const at = place && lineAt(place.line);
      const indent = at ? at.text.length - at.text.trimStart().length : 0;
      const error = { from: Math.min(at?.from + indent, at?.to), to: at?.to, severity: "error" };
      const found = at && !place.after ? [{ ...error, message: place.message }] : [];
      view.dispatch(setDiagnostics(view.state, found));
      const widget = Decoration.widget({ widget: new Here(indent), block: true, side: 1 });
      const there = at && place.after ? Decoration.set(widget.range(at.to)) : Decoration.none;
      view.dispatch({ effects: setHere.of(there) });
    },

    /** Shows beside the lines what they computed. */
    annotate(notes) {
      const ranges = notes
        .filter((one) => one.line <= view.state.doc.lines)
        .map((one) => new Note(one).range(lineAt(one.line).from));
      view.dispatch({ effects: setMargin.of(RangeSet.of(ranges, true)) });
    },

    /** Puts the cursor on a line, or at the end of it, and leaves the focus where it is. */
    reveal(number, after = false) {
      const { from, to, text } = lineAt(number);
      const anchor = after ? to : from + text.length - text.trimStart().length;
      const effects = EditorView.scrollIntoView(anchor, { y: "center" });
      view.dispatch({ selection: { anchor }, effects });
    },
  };
}
