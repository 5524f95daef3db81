/** What is known of systems beside scores, and what a reader makes of it: filters, and the colour of dots. */

import { decoded } from '../text/address';
import { numberFrom } from '../text/number';
import type { PageData, Property } from '../transport/page-data';

/** What systems must have: one of some texts, or a value between two ends, each of which may be open. */
export type Filter = { readonly name: string } & (
  { readonly values: readonly string[] } | { readonly low: string; readonly high: string }
);

/** What has a colour of its own, most frequent first; all others together have the last one. */
export const COLOURS = 7;

const OTHER = 'other';

export class Properties {
  readonly all: readonly Property[];
  readonly filters: Filter[] = $state([]);
  /** Name of the property that colours dots; empty for none. */
  colour = $state('');
  /** Name of the property of whose values only the best system is shown each; empty for none. */
  fold = $state('');
  /** Values with a colour, the most frequent first. */
  readonly legend: readonly string[] = $derived.by(() => {
    const sorted = this.texts(this.colour).map(([value]) => value);
    return sorted.length > COLOURS ? [...sorted.slice(0, COLOURS), OTHER] : sorted;
  });

  constructor({ properties }: PageData) {
    this.all = properties;
  }

  named(name: string): Property | undefined {
    return this.all.find((one) => one.name === name);
  }

  /** The value of a system; null where none is known. */
  value(name: string, system: number): string | number | null {
    return this.named(name)?.values[system] ?? null;
  }

  /** The texts of a property, the most frequent first, with how many systems have each. */
  texts(name: string): (readonly [string, number])[] {
    const many: Record<string, number> = Object.create(null) as Record<string, number>;
    for (const value of this.named(name)?.values ?? [])
      if (value !== null) many[String(value)] = (many[String(value)] ?? 0) + 1;
    return Object.entries(many).sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
  }

  /** The numbers of a property, increasing. */
  numbers(name: string): Float64Array {
    return Float64Array.from(this.named(name)?.values.filter((one) => typeof one === 'number') ?? []).sort();
  }

  /** The first link of a system; empty for none. */
  linkOf(system: number): string {
    const found = this.all.find(({ kind, values }) => kind === 'link' && (values[system] ?? null) !== null);
    return String(found?.values[system] ?? '');
  }

  /** Systems by a property; those of which it is not known come last. */
  sorted(name: string, systems: readonly number[]): number[] {
    return [...systems].sort((one, other) => compared(this.value(name, one), this.value(name, other)));
  }

  add(name: string): void {
    const property = this.named(name);
    if (property === undefined || this.filters.some((one) => one.name === name)) return;
    this.filters.push(property.kind === 'text' ? { name, values: [] } : { name, low: '', high: '' });
  }

  change(filter: Filter): void {
    const at = this.filters.findIndex(({ name }) => name === filter.name);
    if (at >= 0) this.filters[at] = filter;
  }

  remove(name: string): void {
    const at = this.filters.findIndex((one) => one.name === name);
    if (at >= 0) this.filters.splice(at, 1);
  }

  clear(): void {
    this.filters.splice(0);
    this.fold = '';
  }

  /** Whether a system passes all filters; one without a value passes none that asks for something. */
  matches(system: number): boolean {
    return this.filters.every((filter) => {
      const value = this.value(filter.name, system);
      if ('values' in filter) return filter.values.length === 0 || filter.values.includes(String(value));
      if (filter.low === '' && filter.high === '') return true;
      return value !== null && isBetween(value, filter.low, filter.high);
    });
  }

  /** Of each value the system with the best place, and those without a value; all, unless that is wanted. */
  folded(shown: readonly number[], place: Int32Array): readonly number[] {
    if (this.fold === '') return shown;
    const valueOf = (system: number): string => String(this.value(this.fold, system) ?? `\n${system}`);
    const at = (system: number): number => (place[system] < 0 ? Infinity : place[system]);
    const best = Object.create(null) as Record<string, number | undefined>;
    for (const system of shown) {
      const other = best[valueOf(system)];
      if (other === undefined || at(system) < at(other)) best[valueOf(system)] = system;
    }
    return shown.filter((system) => best[valueOf(system)] === system);
  }

  /** The colour of a system's dot; empty for the usual one. */
  colourOf(system: number): string {
    if (this.colour === '') return '';
    const value = this.value(this.colour, system);
    if (value === null) return 'var(--segment)';
    const at = this.legend.indexOf(String(value));
    return at < 0 ? 'var(--faint)' : this.colourAt(at);
  }

  colourAt(place: number): string {
    return this.legend[place] === OTHER && place === COLOURS ? 'var(--faint)' : `var(--c${place})`;
  }

  /** Filters as a link holds them. */
  get link(): string[] {
    return this.filters.map((filter) =>
      ('values' in filter ? [filter.name, '=', ...filter.values] : [filter.name, '~', filter.low, filter.high])
        .map(encodeURIComponent)
        .join(':'),
    );
  }

  /** Show what a link holds, and return what of it is not here. */
  follow(links: readonly string[], colour: string, fold: string): string[] {
    this.clear();
    const absent = [colour, fold].filter((name) => name !== '' && this.named(name) === undefined);
    this.colour = absent.includes(colour) ? '' : colour;
    this.fold = absent.includes(fold) ? '' : fold;
    for (const link of links) {
      const [name, sign, ...values] = link.split(':').map(decoded);
      this.add(name);
      if (this.named(name) === undefined) absent.push(name);
      else if (sign === '=') this.change({ name, values });
      else this.change({ name, low: values[0] ?? '', high: values[1] ?? '' });
    }
    return absent;
  }
}

/** Numbers by size, texts as they are read. */
function compared(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return typeof one === 'number' && typeof other === 'number' ? one - other : String(one).localeCompare(String(other));
}

/** Numbers by size, dates as days. */
function isBetween(value: string | number, low: string, high: string): boolean {
  const size = (one: string | number): number => (typeof one === 'number' ? one : Date.parse(one));
  const end = (text: string): number => (typeof value === 'number' ? numberFrom(text) : Date.parse(text));
  return (low === '' || size(value) >= end(low)) && (high === '' || size(value) <= end(high));
}
