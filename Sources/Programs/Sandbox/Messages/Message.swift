/// A mail to a user, for whoever plays the user.
struct Message: Stored {
  /// What it is for.
  enum Kind: String, Shown {
    case recovery = "RECOVERY_CODE"
    case verification = "VERIFICATION_CODE"
    /// What a flow of a file says.
    case flow = "FLOW"
  }

  let id = ID<Message>.random()
  let kind: Kind
  var user: ID<User>?
  /// The address, where a flow names one.
  var recipient: String?
  /// The flow that sent it.
  var flow: String?
  /// The code that the message has, or nothing.
  var code: String?
  /// The identifier of a suspended journey, or nothing.
  var suspendedID: String?

  static let maximumCount = 200
}
