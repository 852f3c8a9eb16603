import EventLoop
import HTTPServer
import JSON

/// The only environment of the sandbox; an environment is a customer's isolated part of the platform.
struct PlatformEnvironment: Codable, Sendable {
  let id: ID<PlatformEnvironment>
  let organization: ID<Organization>
  let name: String
  let license: ID<License>
}

/// The owner of environments; the sandbox only needs its identifier, for tokens.
enum Organization {}

/// The license of an organization; the sandbox includes all features.
enum License {}

enum EnvironmentRoutes {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/v1/environments/{environment}", read)]

  @EventLoop
  private static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let tenant = call.tenant
    return .json([
      "_links": JSON.links(["self": tenant.managementURL, "users": "\(tenant.managementURL)/users"]),
      "id": tenant.environment.id, "name": tenant.environment.name, "type": "SANDBOX",
      "region": PlatformGeography.northAmerica.regionCode,
      "organization": tenant.environment.organization.reference,
      "license": tenant.environment.license.reference,
    ])
  }
}

/// A region of the platform, with the names of the SDK.
enum PlatformGeography: String, CaseIterable, Codable, Shown {
  case northAmerica = "NorthAmerica"
  case europe = "Europe"
  case canada = "Canada"
  case australia = "Australia"
  case singapore = "Singapore"
  case asiaPacific = "AsiaPacific"

  /// The first two characters of the region's pairing keys, and the platform's code of the region.
  private var codes: (prefix: String, region: String) {
    switch self {
    case .northAmerica: ("01", "NA")
    case .europe: ("02", "EU")
    case .canada: ("03", "CA")
    case .australia: ("04", "AU")
    case .singapore: ("05", "SG")
    case .asiaPacific: ("06", "AP")
    }
  }

  var prefix: String { codes.prefix }
  var regionCode: String { codes.region }

  static let regionCodes = allCases.map(\.regionCode)
}
