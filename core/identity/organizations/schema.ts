import { z } from 'zod'

/** In ascending order: each role has all rights of the roles before it. */
export const Role = z.enum(['viewer', 'member', 'admin', 'owner'])
export type Role = z.infer<typeof Role>

export const Organization = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  /** The role of the caller. */
  role: Role,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type Organization = z.infer<typeof Organization>

/** A member of an organization, or an invitation. */
export const Member = z.object({
  /** The value of `membershipId`, for members and invitations. */
  id: z.string(),
  organizationId: z.string(),
  userId: z.string().nullable(),
  email: z.string(),
  name: z.string().nullable(),
  avatar: z.string().nullable(),
  role: Role,
  status: z.enum(['active', 'invited']),
  createdAt: z.iso.datetime(),
})
export type Member = z.infer<typeof Member>

const userEmail = z.string().max(320).optional()
const organizationId = z.string()
const name = z.string().trim().min(1).max(120)
const description = z.string().trim().max(2_000)

/** Slugs that URLs of Assay may need. */
const reservedSlugs = new Set(
  (
    'about account admin api app assay auth billing blog dashboard docs files health help invitations invite login logout mcp me new organizations ' +
    'orgs pricing projects root settings sign-in sign-out sign-up signin signup static status support system test-runs tests tokens trpc user users webhooks www'
  ).split(' '),
)

export const Slug = z
  .string()
  .trim()
  // Checked before it is lowercased, because that turns the Kelvin sign into a `k`.
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
    'may contain only letters, digits and hyphens, and must start and end with a letter or digit',
  )
  .toLowerCase()
  .refine((slug) => !slug.includes('--'), 'must not contain two hyphens in a row')
  .min(3, 'must have at least 3 characters')
  .max(40, 'may have at most 40 characters')
  .refine((slug) => !reservedSlugs.has(slug), 'is reserved; choose another one')

export const CreateOrganization = z.object({ name, slug: Slug, description: description.optional(), userEmail })
export type CreateOrganization = z.infer<typeof CreateOrganization>

export const UpdateOrganization = z.object({
  organizationId,
  name: name.optional(),
  slug: Slug.optional(),
  description: description.nullable().optional(),
  userEmail,
})
export type UpdateOrganization = z.infer<typeof UpdateOrganization>

export const OrganizationRef = z.object({ organizationId, userEmail })
export type OrganizationRef = z.infer<typeof OrganizationRef>

export const ListOrganizations = z.object({ userEmail }).optional()

/** Case-insensitive. An invalid slug gives the same error as an unused one. */
export const OrganizationBySlug = z.object({ slug: z.string().max(200), userEmail })
export type OrganizationBySlug = z.infer<typeof OrganizationBySlug>

export const InviteMember = z.object({
  organizationId,
  userToInviteEmail: z.string().min(1).max(1_000),
  role: Role,
  userEmail,
})
export type InviteMember = z.infer<typeof InviteMember>

export const UpdateMemberRole = z.object({ organizationId, membershipId: z.string(), role: Role, userEmail })
export type UpdateMemberRole = z.infer<typeof UpdateMemberRole>

export const MemberRef = z.object({ organizationId, membershipId: z.string(), userEmail })
export type MemberRef = z.infer<typeof MemberRef>

/** An invitation, by the `id` that organizations.getMembers returns for it. */
export const InvitationRef = z.object({ organizationId, invitationId: z.string(), userEmail })
export type InvitationRef = z.infer<typeof InvitationRef>

export const Done = z.object({ message: z.string() })
export type Done = z.infer<typeof Done>

/** In ascending order of their limits. */
export const PlanName = z.enum(['free', 'team', 'unlimited'])
export type PlanName = z.infer<typeof PlanName>

/** The limits of a plan; null means no limit. */
export const PlanLimits = z.object({
  /** Invitations count as members. */
  members: z.int().nullable(),
  projects: z.int().nullable(),
})
export type PlanLimits = z.infer<typeof PlanLimits>
export type Limited = keyof PlanLimits

/** The states of a subscription at the payment provider. */
export const SubscriptionStatus = z.enum([
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>
