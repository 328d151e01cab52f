import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Filters } from '../../parts/filters.tsx'
import { formatCount } from '../../parts/number-text.ts'
import { Section } from '../../parts/page.tsx'
import { variantParam } from '../../parts/test-names.ts'
import { Changes } from './changes.tsx'
import { Confirmations } from './confirmations.tsx'
import { Days } from './days.tsx'
import { Durations } from './durations.tsx'
import { ErrorGroups } from './error-groups.tsx'
import { Evidence } from './evidence.tsx'
import { HealthCard } from './health-card.tsx'
import { Quarantines } from './quarantines.tsx'
import { Renames } from './renames.tsx'
import { ResultStrip } from './result-strip.tsx'
import type { TestDetail } from './types.ts'
import { TestFacts } from './test-facts.tsx'

const route = getRouteApi('/projects/$projectId/tests/$testId')

interface PartsProps {
  projectId: string
  test: TestDetail
  /** The results of single runs. */
  children: ReactNode
}

/** Everything that follows from the results of a test: its health first, then what it is made of. */
export function HealthParts({ projectId, test, children }: PartsProps) {
  return (
    <>
      <VariantFilter test={test} />
      <HealthCard projectId={projectId} test={test} />
      <Renames projectId={projectId} test={test} />
      <TestFacts projectId={projectId} test={test} />
      <Section title="Latest results">
        <ResultStrip projectId={projectId} test={test} />
      </Section>
      <Evidence projectId={projectId} test={test} />
      <ErrorGroups projectId={projectId} test={test} />
      <Confirmations projectId={projectId} test={test} />
      <Quarantines projectId={projectId} test={test} />
      <Section title="Durations">
        <Durations test={test} />
      </Section>
      <Days test={test} />
      <Changes projectId={projectId} test={test} />
      {children}
    </>
  )
}

/** Chooses between the variants of the test, whose health differs. */
function VariantFilter({ test: { variant, variants, variantCount } }: { test: TestDetail }) {
  const navigate = route.useNavigate()
  if (variants.length < 2) return undefined
  return (
    <Filters label="Variant">
      <label className="filter">
        <span>
          {variants.length < variantCount ? `Variant (${variants.length} of ${formatCount(variantCount)})` : 'Variant'}
        </span>
        <select
          value={variantParam(variant)}
          onChange={(event) =>
            void navigate({
              search: (old) => ({ ...old, variant: event.target.value }),
              replace: true,
              resetScroll: false,
            })
          }
        >
          {[...new Set([...variants, variant])].map((each) => (
            <option key={each} value={variantParam(each)}>
              {each === '' ? 'Unnamed' : each}
            </option>
          ))}
        </select>
      </label>
    </Filters>
  )
}
