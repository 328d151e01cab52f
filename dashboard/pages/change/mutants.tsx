import type { CodeOf } from '../../parts/code-link.tsx'
import { Mutation, ShareBar } from '../../parts/judged.tsx'
import { plural } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import type { Evidence } from './types.ts'

interface MutantsProps {
  of: NonNullable<Evidence['mutation']>
  code: CodeOf
  /** The code before the change, which refactorings are compared with. */
  base: CodeOf
}

/** Mutants of the changed code: what the tests noticed, and what they did not. */
export function Mutants({ of, code, base }: MutantsProps) {
  const { restored, inOldCode } = of
  const leftOut = of.survived - of.survivors.length
  return (
    <Section title="Small changes to the changed code">
      <div className="card page-lines">
        <p>
          {of.tried} of {plural(of.found, 'possible change')} {of.tried === 1 ? 'was' : 'were'} tried
          {restored && restored.tried > 0 ? `, ${plural(restored.tried, 'part')} of the old code among them` : ''}
          {inOldCode && inOldCode.tried > 0 ? `, and ${inOldCode.tried} in the code that was removed` : ''}.
        </p>
        <ShareBar
          label="What became of them"
          of={[
            { name: 'noticed by a test', count: of.killed, tone: 'good' },
            { name: 'noticed, because the tests did not end', count: of.timedOut, tone: 'busy' },
            { name: 'survived', count: of.survived, tone: 'bad' },
            { name: 'could not run', count: of.invalid, tone: 'warn' },
            { name: 'not tried', count: Math.max(0, of.found - of.tried), tone: 'quiet' },
          ]}
        />
        {of.survivors.length > 0 ? (
          <>
            <h3>Survivors: all tests pass with each of these</h3>
            <div className="split">
              {of.survivors.map((each, index) => (
                <Mutation key={index} of={each} code={each.isInOldCode ? base : code} operator={each.operator} />
              ))}
            </div>
            {leftOut > 0 ? <p className="quiet">{plural(leftOut, 'survivor')} more are not listed.</p> : undefined}
          </>
        ) : undefined}
      </div>
    </Section>
  )
}
