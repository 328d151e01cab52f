import type { Candidate } from '../../repository/facts.ts'
import type { Language } from '../../repository/languages.ts'

/** How test code reaches its subject. All names are plain identifiers of the language. */
export type Subject =
  | { form: 'call'; path: string[] }
  | { form: 'construct'; path: string[] }
  | { form: 'method'; owner: string[]; name: string }
  /** A whole file, a name that is not an identifier, or a symbol that is not exported. */
  | { form: 'whole' }

/** Words that the tests cannot use as a name. */
const reserved: Record<Language, Set<string>> = {
  typescript: words(`await break case catch class const continue debugger default delete do else enum export extends
    false finally for function if implements import in instanceof interface let new null package private protected
    public return static super switch this throw true try typeof var void while with yield eval arguments undefined
    async of type any unknown never`),
  javascript: words(`await break case catch class const continue debugger default delete do else enum export extends
    false finally for function if implements import in instanceof interface let new null package private protected
    public return static super switch this throw true try typeof var void while with yield eval arguments undefined
    async of`),
  python: words(`False None True and as assert async await break class continue def del elif else except finally for
    from global if import in is lambda nonlocal not or pass raise return try while with yield print exec match case
    type __debug__`),
  go: words(`break case chan const continue default defer else fallthrough for func go goto if import interface map
    package range return select struct switch type var nil true false _ new make`),
  java: words(`abstract assert boolean break byte case catch char class const continue default do double else enum
    extends final finally float for goto if implements import instanceof int interface long native new package private
    protected public return short static strictfp super switch synchronized this throw throws transient try void
    volatile while true false null _ var record yield sealed permits when module open requires exports opens uses
    provides with to transitive`),
  ruby: words(`BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module
    next nil not or redo rescue retry return self super then true undef unless until when while yield __FILE__ __LINE__
    __ENCODING__ __END__ __method__`),
  rust: words(`as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match
    mod move mut pub ref return self Self static struct super trait true type unsafe use where while abstract become box
    do final macro override priv try typeof unsized virtual yield union raw auto default macro_rules _ safe`),
  php: words(`abstract and array as break callable case catch class clone const continue declare default die do echo
    else elseif empty enddeclare endfor endforeach endif endswitch endwhile eval exit extends final finally fn for
    foreach function global goto if implements include include_once instanceof insteadof interface isset list match
    namespace new or print private protected public readonly require require_once return static switch throw trait try
    unset use var while xor yield self parent true false null void never mixed int float bool string iterable object
    enum __halt_compiler __class__ __dir__ __file__ __function__ __line__ __method__ __namespace__ __trait__ from`),
  csharp: words(`abstract as base bool break byte case catch char checked class const continue decimal default delegate
    do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface
    internal is lock long namespace new null object operator out override params private protected public readonly ref
    return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong
    unchecked unsafe ushort using virtual void volatile while add alias and ascending async await by descending dynamic
    equals field file from get global group init into join let managed nameof nint not notnull nuint on or orderby
    partial record remove required scoped select set unmanaged value var when where with yield _`),
  other: new Set(),
}

function words(text: string): Set<string> {
  return new Set(text.split(/\s+/))
}

/** Accepts only ASCII, because languages differ in which other letters they accept. */
export function isIdentifier(name: string, language: Language): boolean {
  const known = language === 'php' ? name.toLowerCase() : name
  const shape = isScript(language) ? /^[A-Za-z_$][\w$]{0,99}$/ : /^[A-Za-z_]\w{0,99}$/
  return shape.test(name) && !reserved[language].has(known)
}

const isScript = (language: Language) => language === 'typescript' || language === 'javascript'

const constructors = new Set(['constructor', '__init__', '__construct', 'initialize', '<init>'])

/** Reads a name that is qualified inside its file: `parse`, `Router.handle`, `Rack::Request#params`, `(*T).Do`. */
export function subjectOf(
  candidate: Pick<Candidate, 'symbol' | 'kind' | 'exported'> | undefined,
  language: Language,
): Subject {
  if (!candidate || language === 'other') return { form: 'whole' }
  if (isScript(language) && candidate.exported === false) return { form: 'whole' }
  if (isScript(language) && candidate.symbol === 'default') {
    return { form: candidate.kind === 'class' ? 'construct' : 'call', path: ['default'] }
  }

  const path = segmentsOf(candidate.symbol, language)
  const name = path.at(-1)
  if (name === undefined) return { form: 'whole' }
  const owner = path.slice(0, -1)

  if (candidate.kind === 'method' && owner.length > 0) {
    if (!owner.every((segment) => isIdentifier(segment, language))) return { form: 'whole' }
    if (constructors.has(name) || name === owner.at(-1)) return { form: 'construct', path: owner }
    if (language === 'rust' && name === 'new') return { form: 'call', path }
    // After a dot, JavaScript accepts reserved words such as `delete` too.
    const isMember = isScript(language)
      ? /^[A-Za-z_$][\w$]{0,99}$/.test(name)
      : isIdentifier(bareName(name, language), language)
    return isMember ? { form: 'method', owner, name } : { form: 'whole' }
  }
  const plain = [...owner, bareName(name, language)]
  if (!plain.every((segment) => isIdentifier(segment, language))) return { form: 'whole' }
  return candidate.kind === 'class' ? { form: 'construct', path } : { form: 'call', path }
}

/** Ruby method names may end in `?` or `!`. */
const bareName = (name: string, language: Language) => (language === 'ruby' ? name.replace(/[?!]$/, '') : name)

function segmentsOf(symbol: string, language: Language): string[] {
  const separator = language === 'ruby' ? /::|\.|#/ : language === 'php' ? /\\|::|->|\./ : /::|\./
  return withoutTypeArguments(symbol)
    .replace(/^\(\s*(?:\*\s*)?(?=\S)([^()]+)\)/, '$1')
    .split(separator)
    .filter((segment, index) => segment !== '' || index > 0)
    .filter((segment) => !(language === 'ruby' && segment === 'self'))
}

/** Removes type arguments, as in `Cache<K, V>.get` and Go's `Cache[K].Get`. */
function withoutTypeArguments(symbol: string): string {
  let inner = symbol
  for (let depth = 0; depth < 5; depth++) {
    const outer = inner.replace(/(?<=\w)<[^<>]*>|(?<=\w)\[[^[\]]*\]/g, '')
    if (outer === inner) break
    inner = outer
  }
  return inner
}
