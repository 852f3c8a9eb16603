/// An authorization request that was pushed, to be used once.
struct PushedRequest: Stored {
  let id: ID<PushedRequest>
  let request: AuthorizationRequest
  let deadline: Deadline
  /// AM's realm that it was pushed to; `nil` for the platform.
  let realm: String?

  static let seconds = 60
  static let prefix = "urn:ietf:params:oauth:request_uri:"
}

/// What is under way at the OIDC endpoints; short-lived, and lost when the sandbox ends.
struct SignOnState {
  var pushedRequests = Shelf<PushedRequest>()
  var grants = Shelf<AuthorizationGrant>()
  var deviceGrants = Shelf<DeviceGrant>()

  static let maximumCount = 1000
}
