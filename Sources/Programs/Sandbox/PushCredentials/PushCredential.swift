import JSON
import Time

/// What an application lets the platform send pushes by; its secrets are checked and then forgotten.
struct PushCredential: Stored {
  enum Kind: String, CaseIterable, Sendable {
    case apns = "APNS"
    case fcm = "FCM"
    case fcmHTTPV1 = "FCM_HTTP_V1"
    case hms = "HMS"

    /// The members that a request must have.
    var secrets: [String] {
      switch self {
      case .apns: ["key", "teamId", "token"]
      case .fcm: ["key"]
      case .fcmHTTPV1: ["googleServiceAccountCredentials"]
      case .hms: ["clientId", "clientSecret"]
      }
    }

    /// Whether pushes of a provider go by it; those that need no credential of a kind go by any.
    func serves(_ provider: PushChannel.Provider) -> Bool {
      switch provider {
      case .apns: self == .apns
      case .fcm: self == .fcm || self == .fcmHTTPV1
      case .hms: self == .hms
      case .poll, .webPush, .unifiedPush: true
      }
    }
  }

  let id: ID<PushCredential>
  let application: ID<Application>
  let kind: Kind
  let createdAt: Timestamp
  var updatedAt: Timestamp
}

extension PushCredential: Recorded {
  static let kind = "push credential"

  var record: JSON {
    [
      "id": .id(id), "application": .id(application), "type": .choice(kind), "createdAt": .instant(createdAt),
      "updatedAt": .instant(updatedAt),
    ]
  }

  init?(_ record: Record) {
    guard let id = record.id("id", of: PushCredential.self),
      let application = record.id("application", of: Application.self),
      let kind = record.choice("type", of: Kind.self), let createdAt = record.time("createdAt"),
      let updatedAt = record.time("updatedAt")
    else { return nil }
    self.init(id: id, application: application, kind: kind, createdAt: createdAt, updatedAt: updatedAt)
  }
}

extension Tenant {
  /// The credentials of an application, oldest first.
  func pushCredentials(of application: ID<Application>) -> [PushCredential] {
    pushCredentials.all.filter { $0.application == application }
  }
}
