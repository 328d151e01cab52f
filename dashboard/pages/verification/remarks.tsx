import { CodeLink, type CodeOf } from '../../parts/code-link.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import type { Evidence } from './types.ts'

/** What the source of the test says about it: its assertions, its mocks, and what its result can depend on. */
export function Remarks({ evidence, code }: { evidence: Evidence; code: CodeOf }) {
  const { style, dependsOn, extendsCommitted } = evidence
  if (!style && dependsOn === undefined) return undefined
  return (
    <Section title="How it is written">
      <ul className="card remarks">
        {extendsCommitted ? <li>It extends a committed test file. The verdict is about what it adds.</li> : undefined}
        {style ? (
          <li>
            {plural(style.assertions, 'assertion')}
            {style.weakAssertions > 0
              ? `, ${style.weakAssertions} of them weak: they check only existence, a type, or that a mock was called.`
              : style.assertions > 0
                ? ', none of them weak.'
                : '.'}
          </li>
        ) : undefined}
        {style && style.mocks > 0 ? (
          <li>
            {plural(style.mocks, 'mock')}: {Math.round(style.mockShare * 100)} % of mocks and assertions.
          </li>
        ) : undefined}
        {dependsOn?.length === 0 ? (
          <li>Its result depends on nothing but the code, as far as Assay can see.</li>
        ) : undefined}
        {dependsOn?.map(({ kind, what, path, line }) => (
          <li key={`${kind} ${path} ${line} ${what}`}>
            Can depend on {kinds[kind]}: <code>{what}</code> in <CodeLink {...code} path={path} line={line} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

const kinds = {
  time: 'the time',
  chance: 'chance',
  outside: 'files, the network or other things outside',
  shared_state: 'state that tests share',
  unknown: 'code that Assay does not read',
} as const
