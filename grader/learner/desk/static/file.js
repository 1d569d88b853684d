// The learner's file: what is in the editor, what is on disk, and what to do where they differ.

import { ask, Gone } from "./api.js";
import * as drafts from "./drafts.js";

const KEEP_MS = 150;

/** One step's file. `show` is called with a state and, in a conflict, with the other text. */
export class LearnersFile {
  #step;
  #draft = ""; // what unsaved text is kept under
  #editor;
  #show;
  #base = { text: "", digest: "" }; // the version on disk that the editor's text comes from
  #theirs = null; // the version on disk, where it is another
  #saving = false;
  #again = false;
  #owed = false; // a save that the server has not got yet
  #timer = 0;

  constructor(step, editor, show) {
    this.#step = step;
    this.#editor = editor;
    this.#show = show;
  }

  get unsaved() {
    return this.#editor.text() !== this.#base.text;
  }

  get digest() {
    return this.unsaved ? "" : this.#base.digest;
  }

  /** The page was opened: `file` is what the server has, `course` whose it is. */
  async open(file, course) {
    this.#base = file;
    this.#draft = `${course}:${this.#step}`;
    const draft = file.problem ? null : await drafts.find(this.#draft);
    this.#editor.setText(draft ? draft.text : file.text);
    this.#editor.lock(Boolean(file.problem));
    if (draft && draft.base !== file.digest && this.unsaved) this.#conflict(file);
    else this.#state(draft && this.unsaved ? "restored" : "");
  }

  /** The file on disk is now this one. */
  seen(file) {
    if (file.digest === this.#base.digest && !file.problem) {
      if (this.#theirs) this.#settle();
      return;
    }
    if (!this.unsaved || file.text === this.#editor.text() || file.problem) {
      this.#base = file;
      this.#editor.setText(file.text);
      this.#editor.lock(Boolean(file.problem));
      this.#settle();
    } else {
      this.#conflict(file);
    }
  }

  /** The editor's text changed. */
  changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), KEEP_MS);
    if (!this.#theirs) this.#state();
  }

  /** Keeps unsaved text in the browser. */
  keep() {
    clearTimeout(this.#timer);
    if (!this.#draft) return;
    if (!this.unsaved) drafts.forget(this.#draft);
    else if (!drafts.keep(this.#draft, this.#editor.text(), this.#base.digest)) {
      this.#show("kept-nowhere");
    }
  }

  /** Saves; a save that is asked for meanwhile comes after. */
  async save() {
    if (this.#theirs) {
      this.#show("conflict", this.#theirs);
      return;
    }
    this.keep();
    if (this.#saving) {
      this.#again = true;
      return;
    }
    this.#saving = true;
    this.#show("saving");
    const text = this.#editor.text();
    const body = { text, base: this.#base.digest, window: drafts.windowName };
    try {
      const { digest } = await ask(`steps/${this.#step}`, { method: "PUT", body });
      this.#base = { text, digest };
      this.#owed = false;
      this.keep();
      this.#state();
    } catch (problem) {
      this.#failed(problem, text);
    } finally {
      this.#saving = false;
    }
    if (this.#again) {
      this.#again = false;
      await this.save();
    }
  }

  /** The server is there again: it gets what it missed. */
  async back(file) {
    this.seen(file);
    if (this.#owed && !this.#theirs) await this.save();
  }

  /** Ends a conflict; the other text is kept as a copy. Returns where that copy is. */
  async choose(mine) {
    const theirs = this.#theirs;
    const lost = mine ? theirs.text : this.#editor.text();
    const { kept } = await ask(`steps/${this.#step}/keep`, { method: "POST", body: { text: lost } });
    this.#base = theirs;
    this.#theirs = null;
    if (mine) {
      await this.save();
    } else {
      this.#editor.setText(theirs.text);
      this.keep();
      this.#state();
    }
    return kept;
  }

  /** The lines in which the two texts of a conflict differ. */
  async difference() {
    const body = { text: this.#editor.text() };
    return (await ask(`steps/${this.#step}/difference`, { method: "POST", body })).lines;
  }

  #failed(problem, text) {
    if (problem instanceof Gone) {
      this.#owed = true;
      this.#show("gone");
    } else if (problem.status === 409 && !problem.body.problem) {
      if (problem.body.text === text) this.seen(problem.body);
      else this.#conflict(problem.body);
    } else {
      const said = problem.status === 409 ? problem.body.problem : problem.message;
      this.#owed = problem.status === 403;
      this.#show("refused", said);
    }
  }

  #conflict(theirs) {
    this.#theirs = theirs;
    this.keep();
    this.#show("conflict", theirs);
  }

  #settle() {
    this.#theirs = null;
    this.keep();
    this.#state();
  }

  #state(state = "") {
    if (this.#base.problem) this.#show("refused", this.#base.problem);
    else this.#show(state || (this.unsaved ? "unsaved" : "saved"));
  }
}
