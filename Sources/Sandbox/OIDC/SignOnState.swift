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

/// A user's way from an authorization request to its answer.
struct SignOnFlow: Stored {
  enum Status: String, Sendable {
    case usernamePasswordRequired = "USERNAME_PASSWORD_REQUIRED"
    case completed = "COMPLETED"
  }

  let id: ID<SignOnFlow>
  let request: AuthorizationRequest
  var session: ID<SignOnSession>
  let deadline: Deadline
  /// The value of the cookie by which the browser or device is known; it changes when the user has signed on.
  var sessionToken: String
  var status = Status.usernamePasswordRequired
  var user: ID<User>?

  static let seconds = 15 * 60
  static let acr = "Single_Factor"

  /// The user has a session now.
  mutating func complete(_ session: SignOnSession) {
    user = session.user
    self.session = session.id
    sessionToken = session.token
    status = .completed
  }
}

/// What is under way at the OIDC endpoints; short-lived, and lost when the sandbox ends.
struct SignOnState {
  var pushedRequests = Shelf<PushedRequest>()
  var flows = Shelf<SignOnFlow>()
  var grants = Shelf<AuthorizationGrant>()
  var deviceGrants = Shelf<DeviceGrant>()

  static let maximumCount = 1000
}
