/// A mail to a user, for whoever plays the user.
struct Message: Stored {
  enum Kind: String, Shown {
    case recovery = "RECOVERY_CODE"
    case verification = "VERIFICATION_CODE"
    /// What a flow of a file says.
    case flow = "FLOW"
  }

  let id = ID<Message>.random()
  let kind: Kind
  var user: ID<User>?
  var recipient: String?
  var flow: String?
  var code: String?
  var suspendedID: String?

  static let maximumCount = 200
}
