import type { EntityManager, EntitySubscriberInterface, QueryRunner } from 'typeorm'

const waiting = new WeakMap<QueryRunner, (() => Promise<void>)[]>()

// TypeORM also calls these hooks for savepoints. Only the commit of the outermost transaction counts.
const transactionEnds: EntitySubscriberInterface = {
  async afterTransactionCommit({ queryRunner }) {
    if (queryRunner.isTransactionActive) return
    const work = waiting.get(queryRunner) ?? []
    waiting.delete(queryRunner)
    await Promise.all(work.map((run) => run()))
  },
  // A savepoint does not tell which of the work came after it, so its rollback discards all of it.
  afterTransactionRollback({ queryRunner }) {
    waiting.delete(queryRunner)
  },
}

/**
 * Runs `work` after the transaction of `tx` commits, and lets the commit wait for it. `work` must not fail. If the
 * transaction or one of its savepoints rolls back, `work` never runs.
 */
export function afterCommit(tx: EntityManager, work: () => Promise<void>): void {
  const { queryRunner, dataSource } = tx
  if (!queryRunner?.isTransactionActive) throw new Error('afterCommit requires an active transaction.')
  if (!dataSource.subscribers.includes(transactionEnds)) dataSource.subscribers.push(transactionEnds)
  waiting.set(queryRunner, [...(waiting.get(queryRunner) ?? []), work])
}
