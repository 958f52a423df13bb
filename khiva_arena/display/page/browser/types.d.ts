// What the page holds, see khiva_arena/display/page/data.py.

export interface Standing {
  rank: number | null;
  rank_interval: [number, number] | null;
  bot: string;
  name: string;
  elo: number | null;
  error: number | null;
  low: number | null;
  high: number | null;
  bound: string;
  finishes: number[];
  faults: Record<string, number>;
  [key: string]: unknown;
}

export interface Rating {
  bot: string;
  elo: number | null;
  error: number | null;
  bound: string;
}

// The sections of a table, as khiva_arena/rating/report/shapes.py has them.

export interface Pair {
  score: number;
  low: number | null;
  high: number | null;
  significant: boolean;
  expected: number | null;
  seeds: number;
  matches: number;
  certain: boolean;
}

export interface SeatScore {
  seats: number;
  seat: number;
  score: number;
  low: number | null;
  high: number | null;
  matches: number;
  seeds: number;
}

export interface Neighbour {
  bot: string;
  effect: number | null;
  low: number | null;
  high: number | null;
  matches: number;
  seeds: number;
}

export interface BotPoints {
  bot: string;
  matches: number;
  seeds: number;
  means: number[];
  errors: (number | null)[];
}

export interface PointsBySource {
  matches: number;
  of: number;
  counted: string[];
  uncounted: string[];
  rows: BotPoints[];
}

export interface Seats {
  seats: SeatScore[];
  neighbours: Neighbour[];
}

export interface PlacedBot {
  place: number;
  bot: string;
  name: string;
  score: number | null;
  byes: number;
  points?: number | null;
  tables?: number | null;
  opponents?: number | null;
  out?: number | null;
}

export interface EventPlaces {
  event: string;
  of: number;
  rows: PlacedBot[];
}

export interface Sections {
  crosstable?: (Pair | null)[][];
  seats?: Seats;
  points?: PointsBySource;
}

export interface Table {
  title: string;
  columns: { head: string; field: string; doc: string; left: boolean; texts: string[] }[];
  notes: string[];
  table: { rows: Standing[]; sections: Sections; events: string[]; places?: EventPlaces[]; clock: string };
  meanings: Record<string, string>;
  verdict?: string;
  by_seeds: { seeds: number; matches: number; rows: Rating[] }[];
  turn_ms: number;
  times: { bot: string; decisions: number; median_ms: number; p95_ms: number; p99_ms: number; slowest_ms: number; bars: number[] }[];
}

export interface Bot {
  id: string;
  name: string;
  version: string;
  complete: boolean;
  marks: Record<string, string>;
  env: string[];
}

export interface Round {
  number: number;
  first: number;
  matches: number;
  byes: number[];
  line_ups: { sitters: { bot: number; score: number | null; points: number; through: boolean }[]; decided: string }[];
}

export interface Event {
  number: number;
  id: string;
  format: string;
  stage: string;
  game: string;
  title: string;
  rules_version: string;
  rules: Record<string, any>;
  changed: Record<string, unknown>;
  played: string;
  seats: number;
  seeds: number;
  matches: number;
  recorded: number;
  void: number;
  over: boolean;
  time: Record<string, number>;
  policy: string;
  isolation: string;
  limits: Record<string, string>;
  ponder: boolean;
  engines: string[];
  begun: string;
  commitment: string;
  digest: string;
  secret: string;
  public: string;
  bots: Bot[];
  about: string;
  after: string;
  candidates: number[];
  rounds: Round[];
  adviser: string;
  /** Whether the page that holds it has all that its matches go on with, after another choice. */
  goes_on?: boolean;
  /** Whether a person may go on with one: its own seat needs no module. */
  takes_over?: boolean;
}

/** A match as the page works with it. */
export interface Match {
  key: string;
  event: Event;
  ordinal: number;
  seed: number;
  lineup: number;
  rotation: number;
  id: string;
  ids: string[];
  names: string[];
  ranks: number[];
  scores: number[];
  verdicts: string[];
  faults: [number, string, number, string][];
  rated: boolean;
  seconds: number | null;
  /** Its block and its place in that, or the address of the page that holds it. */
  replay: [number, number] | string | null;
  margin: number;
}

export interface Page {
  title: string;
  engine: string;
  source: string;
  verify: string;
  events: Event[];
  tables: Table[];
  matches: any[];
  scenery: Record<string, any>;
  legal: unknown[][];
  /** Of a page that only holds replays: where the results are. */
  home: string;
  /** The newest link of the league's chain when the page was made; "" without a league. */
  receipt: string;
  /** How its reader checks it in a browser, in sentences. */
  checker: string;
  /** The bots that were left out; a report only for the author, or if notes were asked for. */
  not_played: { event: number; name: string; why: string; report: string }[];
}

/** Whose eyes: all hands open, only what everybody saw, or what one seat saw. */
export type Eyes = "all" | "public" | number;

/** One step of a match; 0 is the opening. */
export interface Frame {
  step: number;
  /** What all seats know: of their views what is the same for all. */
  all: Record<string, any>;
  /** The keys of a view that are the same for all seats at every step. */
  open: string[];
  /** By seat, the rest of its view; null if these eyes don't see it. */
  own: (Record<string, any> | null)[];
  asked: { seat: number; kind: string; legal: any[]; choice: number; why: string; took: number | [number, number] | null }[];
  events: { data: Record<string, any>; text: string; to: number[] | null }[];
  scores: number[];
  /** The names of the sources of points that count, and of those that count nothing; none of a game that does not say. */
  sources: string[][];
  /** By seat, the points of each source, in the order of both lists. */
  points: number[][];
  sketch: string;
}

/** What a seat can choose. */
export interface Choice {
  /** Its place in the list of choices. */
  index: number;
  /** What it says to a person, with its effect. */
  words: string;
  kind: string;
  /** What the game calls it: an entry of legal. */
  piece: any[];
}

/** What a drawing gets. */
export interface Scene {
  frame: Frame;
  before: Frame | null;
  /** All frames so far, this one last. */
  film: Frame[];
  names: string[];
  seats: number;
  eyes: Eyes;
  /** The game's rules map. */
  rules: Record<string, any>;
  /** What the game says of its pieces. */
  scenery: any;
  width: number;
  /** At a person's seat, while a question is open or was just answered: what it offers. An element with data-choice, an index, is made a button. */
  choices?: Choice[];
  /** The choice that was made; the step is not over yet. */
  chosen?: number;
  /** The choice that a hint names. */
  hint?: number;
  /** Chooses, for drawings that have more than a button for it, such as a field for a bid. */
  choose?(index: number): void;
}

/** What a game brings to be drawn: one file, drawing.js, in its folder. */
export interface Drawing {
  /** Whether the table has the own window at its lower edge, so that a seat leaves it there. */
  has_hand?: boolean;
  draw(scene: Scene): Element;
  /** One entry of legal, for people; knows is the view of the seat that is asked. */
  choice?(kind: string, entry: any, scenery: any, knows: Record<string, any>): string;
  /** Whether an event is one that a step may be told by, in one line. */
  tells?(event: Record<string, any>): boolean;
  /** Whether a frame begins a turn. */
  turn?(frame: Frame): number | null;
}

// What .ci/editor/editor.js gives a page that has it.
export interface Editor {
  open(files: Record<string, string>, first: string): void;
  show(name: string): void;
  shown(): string;
  files(): Record<string, string>;
  mark(name: string, line: number, text: string, shows?: boolean): void;
  focus(): void;
}

declare global {
  const KhivaEditor: { editor(host: HTMLElement, plays: () => void, changes: () => void): Editor };
}
