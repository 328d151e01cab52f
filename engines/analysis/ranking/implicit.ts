import type { SymbolFact } from '../../parsing/types.ts'

/** Members that the language or its standard library calls, by language. */
const byLanguage: Readonly<Record<string, RegExp>> = {
  Python: /^__\w+__$|^(?:setUp|tearDown)$/,
  Go: /^(?:String|GoString|Error|Format|Unwrap|Is|As|Len|Less|Swap|Push|Pop|Read|Write|Close|Seek|ReadFrom|WriteTo|ReadAt|WriteAt|ServeHTTP|RoundTrip|Scan|Value|Marshal(?:JSON|Text|Binary|YAML)|Unmarshal(?:JSON|Text|Binary|YAML))$/,
  Ruby: /^(?:initialize(?:_copy|_dup|_clone)?|to_\w+|inspect|hash|eql\?|each|call|coerce|method_missing|respond_to_missing\?|included|extended|inherited|prepended|method_added|const_missing|<=>|===?|=~|[-+*/%!<>]=?|\[\]=?|<<|>>)$/,
  Java: /^(?:toString|equals|hashCode|compareTo|compare|clone|close|run|call|get|accept|apply|test|iterator|hasNext|next)$/,
  'C#': /^(?:ToString|Equals|GetHashCode|CompareTo|Dispose|DisposeAsync|GetEnumerator|MoveNext)$/,
  PHP: /^(?:__\w+|offset(?:Get|Set|Exists|Unset)|getIterator|jsonSerialize|count|current|key|next|rewind|valid)$/,
  Rust: /^(?:fmt|from|into|try_from|try_into|drop|deref|deref_mut|next|eq|ne|cmp|partial_cmp|hash|clone|default|index|index_mut|add|sub|mul|div|rem|neg|not|poll|as_ref|as_mut|borrow|from_str|from_iter|into_iter|extend|serialize|deserialize|source)$/,
}
/** The same for functions of a module. */
const ofModule: Readonly<Record<string, RegExp>> = { Go: /^init$/, Python: /^__\w+__$/ }
const javascript = /^(?:toString|toJSON|valueOf|then|constructor|\[Symbol\.\w+\])$/

const passiveBases =
  /^(?:[Oo]bject|ABC|Protocol|Generic|\w*Enum|\w*Flag|NamedTuple|TypedDict|Record|Struct|EventEmitter|Serializable|Cloneable|Comparable|Comparator|Runnable|Callable|Supplier|Consumer|Function|Predicate|Iterable|Iterator|Closeable|AutoCloseable|Countable|ArrayAccess|IteratorAggregate|JsonSerializable|Stringable|Traversable|I(?:Async)?Disposable|I(?:Async)?Enumerable|IEnumerator|IEquatable|IComparable|IComparer|Map|Set|Array|dict|list|set|str|int|tuple)$|(?:Error|Exception|Warning)$/

/** Whether a type of a library calls nothing that classes add to it, or only what `isImplicit` knows. */
export const callsNothing = (type: string) => passiveBases.test(type)

/** Whether code may run the symbol without a call that names it, so that no call that is found proves nothing. */
export function isImplicit({ name, implicit }: SymbolFact, language: string): boolean {
  if (implicit === true) return true
  const own = ownName(name)
  if (own === name) return ofModule[language]?.test(name) === true
  return (byLanguage[language] ?? javascript).test(own)
}

/** The last part of a qualified name. */
export function ownName(name: string): string {
  // `Cart.[Symbol.iterator]` has dots of its own.
  if (name.includes('[')) return name.split(/\.(?![^[]*\])|::/).at(-1) ?? name
  const colons = name.lastIndexOf('::')
  return name.slice(Math.max(name.lastIndexOf('.') + 1, colons === -1 ? 0 : colons + 2))
}
