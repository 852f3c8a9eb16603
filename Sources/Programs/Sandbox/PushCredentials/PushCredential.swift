import JSON
import Time

/// What an application lets the platform send pushes by; its secrets are checked and then forgotten.
struct PushCredential: Resource, Codable {
  enum Kind: String, CaseIterable, Codable, Shown {
    case apns = "APNS"
    case fcm = "FCM"
    case fcmHTTPV1 = "FCM_HTTP_V1"
    case hms = "HMS"

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
  let type: Kind
  let createdAt: Timestamp
  var updatedAt: Timestamp

  init(type: Kind, of application: ID<Application>, at now: Timestamp) {
    id = .random()
    self.application = application
    self.type = type
    (createdAt, updatedAt) = (now, now)
  }

  func json(in tenant: Tenant) -> JSON {
    let address = "\(tenant.managementURL)/applications/\(application.text)"
    let links: JSON = .links(["self": "\(address)/pushCredentials/\(id.text)", "application": address])
    return .of(["_links": links, "id": id, "type": type, "createdAt": createdAt, "updatedAt": updatedAt])
  }
}

extension Tenant {
  func pushCredentials(of application: ID<Application>) -> [PushCredential] {
    pushCredentials.all.filter { $0.application == application }
  }
}
