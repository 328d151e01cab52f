import { z } from 'zod'
import { procedure, router } from '../../http/trpc.ts'
import { createOrganization } from './create.ts'
import { getOrganizationBySlug, listOrganizations } from './get.ts'
import { inviteMember } from './invite.ts'
import { resendInvitation, revokeInvitation } from './invitations.ts'
import { getMembers, leaveOrganization, removeMember, updateMemberRole } from './members.ts'
import {
  CreateOrganization,
  Done,
  InvitationRef,
  InviteMember,
  ListOrganizations,
  Member,
  MemberRef,
  Organization,
  OrganizationBySlug,
  OrganizationRef,
  UpdateMemberRole,
  UpdateOrganization,
} from './schema.ts'
import { updateOrganization } from './update.ts'

export const organizationsRouter = router({
  list: procedure
    .input(ListOrganizations)
    .output(z.array(Organization))
    .query(({ ctx }) => listOrganizations(ctx)),
  getBySlug: procedure
    .input(OrganizationBySlug)
    .output(Organization)
    .query(({ ctx, input }) => getOrganizationBySlug(ctx, input)),
  getMembers: procedure
    .input(OrganizationRef)
    .output(z.array(Member))
    .query(({ ctx, input }) => getMembers(ctx, input)),
  create: procedure
    .input(CreateOrganization)
    .output(Organization)
    .mutation(({ ctx, input }) => createOrganization(ctx, input)),
  update: procedure
    .input(UpdateOrganization)
    .output(Organization)
    .mutation(({ ctx, input }) => updateOrganization(ctx, input)),
  inviteMember: procedure
    .input(InviteMember)
    .output(Member)
    .mutation(({ ctx, input }) => inviteMember(ctx, input)),
  updateMemberRole: procedure
    .input(UpdateMemberRole)
    .output(Member)
    .mutation(({ ctx, input }) => updateMemberRole(ctx, input)),
  removeMember: procedure
    .input(MemberRef)
    .output(Done)
    .mutation(({ ctx, input }) => removeMember(ctx, input)),
  leave: procedure
    .input(OrganizationRef)
    .output(Done)
    .mutation(({ ctx, input }) => leaveOrganization(ctx, input)),
  revokeInvitation: procedure
    .input(InvitationRef)
    .output(Done)
    .mutation(({ ctx, input }) => revokeInvitation(ctx, input)),
  resendInvitation: procedure
    .input(InvitationRef)
    .output(Member)
    .mutation(({ ctx, input }) => resendInvitation(ctx, input)),
})
