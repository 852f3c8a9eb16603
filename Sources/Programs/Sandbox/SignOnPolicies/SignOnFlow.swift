import HTTPServer
import OpenSSL

/// A user's way from an authorization request to its answer, by the steps of a sign-on policy.
struct SignOnFlow: Stored {
  enum Status: String, Sendable {
    case usernamePasswordRequired = "USERNAME_PASSWORD_REQUIRED"
    case signOnRequired = "SIGN_ON_REQUIRED"
    case passwordRequired = "PASSWORD_REQUIRED"
    case mustChangePassword = "MUST_CHANGE_PASSWORD"
    case passwordExpired = "PASSWORD_EXPIRED"
    case recoveryCodeRequired = "RECOVERY_CODE_REQUIRED"
    case verificationCodeRequired = "VERIFICATION_CODE_REQUIRED"
    case externalAuthenticationRequired = "EXTERNAL_AUTHENTICATION_REQUIRED"
    case deviceSelectionRequired = "DEVICE_SELECTION_REQUIRED"
    case otpRequired = "OTP_REQUIRED"
    case pushConfirmationRequired = "PUSH_CONFIRMATION_REQUIRED"
    case pushConfirmationTimedOut = "PUSH_CONFIRMATION_TIMED_OUT"
    case assertionRequired = "ASSERTION_REQUIRED"
    case profileDataRequired = "PROFILE_DATA_REQUIRED"
    case agreementConsentRequired = "AGREEMENT_CONSENT_REQUIRED"
    case consentRequired = "CONSENT_REQUIRED"
    case completed = "COMPLETED"
    case failed = "FAILED"
  }

  let id: ID<SignOnFlow>
  let request: AuthorizationRequest
  let policy: SignOnPolicy
  /// The session that the flow comes from or leads to.
  let session: ID<SignOnSession>
  /// Whether the session was there before, and spared the user a step.
  var isFromSession = false
  /// When the flow is forgotten, if nothing happens any more.
  var deadline: Deadline
  /// The value of the cookie by which the browser or device is known; it changes when the user has signed on.
  var sessionToken: String
  /// What is left, the step that the flow is at first.
  var stepsLeft: [String]
  /// What is needed now; `nil` only on the way from one thing to the next.
  var status: Status?
  var user: ID<User>?
  /// Who the user says they are, before they have shown it.
  var claimedUser: ID<User>?
  /// Who has signed on with another provider.
  var externalUser: ID<User>?
  /// How the user has shown who they are, RFC 8176.
  var methods: [String] = []
  /// The code that a message has brought to the user.
  var code: OneTimeCode?
  var authentication: ID<DeviceAuthentication>?
  var failure: Failure?

  static let seconds = 15 * 60

  /// Whom the code went to.
  var codeUser: ID<User>? { user ?? claimedUser }

  /// The user was found out, one way or another.
  mutating func identify(_ user: ID<User>, by method: String) {
    self.user = user
    methods = [method]
  }

  /// The flow comes to nothing.
  mutating func fail(_ code: String, _ message: String) {
    status = .failed
    failure = Failure(code: code, message: message)
  }
}

extension Tenant {
  /// Begins a flow for a request; a session spares the user what it stands for.
  func startFlow(_ request: AuthorizationRequest, from session: SignOnSession?) throws(PingOneError)
    -> SignOnFlow
  {
    let policy = try signOnPolicy(for: request)
    var flow = SignOnFlow(
      id: .random(),
      request: request,
      policy: policy,
      session: session?.id ?? .random(),
      deadline: clock.deadline(in: SignOnFlow.seconds),
      sessionToken: session?.token ?? randomText(43, of: tokenAlphabet),
      stepsLeft: policy.steps
    )
    if let session {
      flow.isFromSession = true
      flow.user = session.user
      flow.methods = session.methods
      flow.stepsLeft.removeAll { SignOnStep.named($0)?.identifiesUser ?? false }
    }
    try advance(&flow)
    signOn.flows.put(flow, keeping: SignOnState.maximumCount)
    return flow
  }

  /// The flow of that identifier as it is now, if the request has its cookie.
  func flow(_ id: ID<SignOnFlow>, of request: HTTPRequest) throws(PingOneError) -> SignOnFlow {
    guard var flow = signOn.flows[id], !clock.isOver(flow.deadline) else { throw .notFound }
    let token = request.headers.cookies[SignOnSession.cookie] ?? ""
    guard constantTimeEqual(Array(token.utf8), Array(flow.sessionToken.utf8)) else {
      throw .accessFailed
    }
    // Who has signed off meanwhile was spared what they have to do again.
    if flow.isFromSession, sessions[flow.session] == nil {
      flow.fail("SESSION_ENDED", "The session has ended.")
      flow.authentication = nil
    }
    try followAuthentication(&flow)
    try followExternalAuthentication(&flow)
    flow.deadline = clock.deadline(in: SignOnFlow.seconds)
    signOn.flows.put(flow)
    return flow
  }
}
