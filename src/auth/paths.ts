export const PATHS = {
  authorization: '/authorize',
  token: '/token',
  introspection: '/introspect',
  revocation: '/revoke',
  jwks: '/jwks',
  end_session: '/end',
} as const;
