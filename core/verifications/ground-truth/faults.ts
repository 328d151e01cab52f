export const flavours = ['node-test', 'vitest', 'pytest', 'unittest'] as const
export type Flavour = (typeof flavours)[number]

/** How the wrong version of a function comes about: a text that is there once, and what somebody wrote instead. */
export interface Fault {
  right: string
  wrong: string
}

/** One for every function, by its file's name. */
export const faults: Record<Flavour, Record<string, Fault>> = {
  'node-test': {
    'binary-search': { right: 'low <= high', wrong: 'low < high' },
    'changed-members': {
      right: '[...old].filter((member) => !now.has(member))',
      wrong: '[...old].filter((member) => now.has(member))',
    },
    'expand-ranges': { right: 'number <= Number(last)', wrong: 'number < Number(last)' },
    'lru-cache': {
      right: '    this.#entries.delete(key)\n    this.#entries.set(key, value)\n    return value',
      wrong: '    return value',
    },
    'merge-intervals': { right: 'start <= last[1]', wrong: 'start < last[1]' },
    'nights-between': { right: '(to - from) / dayMs', wrong: '(to - from) / dayMs + 1' },
    paginate: { right: 'Math.ceil(items.length / size)', wrong: 'Math.floor(items.length / size)' },
    'parse-duration': { right: '^(?:\\d+[dhms])+$', wrong: '^(?:\\d+[dhms])*$' },
    'password-problems': { right: 'password.length > maxLength', wrong: 'password.length >= maxLength' },
    retry: { right: 'attempt >= attempts', wrong: 'attempt > attempts' },
    'split-bill': { right: '(index < odd ? share + 1 : share)', wrong: '(index <= odd ? share + 1 : share)' },
    truncate: { right: 'text.slice(0, length - 1)', wrong: 'text.slice(0, length)' },
  },
  vitest: {
    chunk: { right: 'at < items.length; at', wrong: 'at + size <= items.length; at' },
    'compare-versions': { right: '[major, minor, patch].map(Number)', wrong: '[major, minor].map(Number)' },
    'days-in-month': { right: '(year % 100 !== 0 || year % 400 === 0)', wrong: 'year % 100 !== 0' },
    'diff-records': { right: 'if (!(name in after)) return [`- ${name}`]', wrong: 'if (!(name in after)) return []' },
    'map-limited': {
      right: 'results[index] = await map(items[index] as Item)',
      wrong: 'results.push(await map(items[index] as Item))',
    },
    'parse-csv-line': { right: "      field += '\"'\n", wrong: '' },
    'parse-settings': { right: 'line ${index + 1}: expected', wrong: 'line ${index}: expected' },
    slugify: {
      right: "return words.slice(0, maxLength).replace(/^-+|-+$/g, '')",
      wrong: "return words.replace(/^-+|-+$/g, '').slice(0, maxLength)",
    },
    'sort-by': { right: 'if (first !== second) return', wrong: 'return' },
    'to-roman': { right: "  [40, 'XL'],\n", wrong: '' },
    'token-bucket': { right: 'Math.min(this.#capacity, this.#tokens + gained)', wrong: 'this.#tokens + gained' },
  },
  pytest: {
    business_days: { right: 'day.weekday() < 5', wrong: 'day.weekday() < 6' },
    first_at_least: { right: 'low, high = 0, len(values)', wrong: 'low, high = 0, len(values) - 1' },
    format_table: { right: 'str(cell).rjust(width) if', wrong: 'str(cell).ljust(width) if' },
    lru_cache: { right: '        self.entries.move_to_end(key)\n        return', wrong: '        return' },
    luhn: { right: 'index % 2 == 1', wrong: 'index % 2 == 0' },
    merge_intervals: { right: 'max(merged[-1][1], end)', wrong: 'end' },
    overlap: { right: 'if start <= end else None', wrong: 'if start < end else None' },
    paginate: { right: 'page + 1 if page < pages else None', wrong: 'page + 1 if page <= pages else None' },
    parse_query: { right: 'pair.partition("=")', wrong: 'pair.rpartition("=")' },
    retry: { right: 'range(1, attempts + 1)', wrong: 'range(1, attempts)' },
    tax: { right: 'quantize(CENT, ROUND_HALF_UP)', wrong: 'quantize(CENT)' },
    unique: { right: 'mark = item if key is None else key(item)', wrong: 'mark = item' },
  },
  unittest: {
    csv_line: { right: ".replace('\"', '\"\"')", wrong: '' },
    diff_records: { right: 'if before[name] != after[name]', wrong: 'if before[name] and before[name] != after[name]' },
    month_ends: { right: 'divmod(index, 12)', wrong: 'divmod(index + 1, 12)' },
    ranking: { right: 'place = index + 1', wrong: 'place += 1' },
    roman: { right: 'value < following', wrong: 'value <= following' },
    settings: { right: 'start=1', wrong: 'start=0' },
    snake_case: { right: '([a-z0-9])([A-Z])', wrong: '([a-z])([A-Z])' },
    token_bucket: { right: 'self.tokens < count', wrong: 'self.tokens <= count' },
    windows: { right: 'if len(window) == size:', wrong: 'if window:' },
    wrap: { right: 'len(longer) <= width', wrong: 'len(longer) < width' },
  },
}
