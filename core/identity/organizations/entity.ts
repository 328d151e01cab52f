import { EntitySchema } from 'typeorm'
import { type Columns, id, optionalText, text, time } from '../../base/columns.ts'
import type { Role } from './schema.ts'

export interface OrganizationRow {
  id: string
  name: string
  slug: string
  description: string | null
  createdAt: Date
  updatedAt: Date
}

export const OrganizationEntity = new EntitySchema<OrganizationRow>({
  name: 'Organization',
  tableName: 'organizations',
  columns: {
    id,
    name: text,
    slug: text,
    description: optionalText,
    createdAt: { ...time, name: 'created_at' },
    updatedAt: { ...time, name: 'updated_at' },
  } satisfies Columns<OrganizationRow>,
})

export interface MembershipRow {
  id: string
  organizationId: string
  userId: string
  role: Role
  createdAt: Date
}

export const MembershipEntity = new EntitySchema<MembershipRow>({
  name: 'Membership',
  tableName: 'memberships',
  columns: {
    id,
    organizationId: { ...text, name: 'organization_id' },
    userId: { ...text, name: 'user_id' },
    role: text,
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<MembershipRow>,
})

/** An invitation of an address that has no account or is not verified. */
export interface InvitationRow {
  id: string
  organizationId: string
  /** Canonical. */
  email: string
  role: Role
  createdAt: Date
}

export const InvitationEntity = new EntitySchema<InvitationRow>({
  name: 'Invitation',
  tableName: 'invitations',
  columns: {
    id,
    organizationId: { ...text, name: 'organization_id' },
    email: text,
    role: text,
    createdAt: { ...time, name: 'created_at' },
  } satisfies Columns<InvitationRow>,
})
