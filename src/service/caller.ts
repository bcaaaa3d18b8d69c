/** Identity behind a request, as its token states and the store confirms. */
export type Caller =
  | { readonly kind: 'user'; readonly accountId: string; readonly userId: string; readonly familyId: string }
  | {
      readonly kind: 'device';
      readonly accountId: string;
      readonly deviceId: string;
      readonly permissions: readonly string[];
    };
