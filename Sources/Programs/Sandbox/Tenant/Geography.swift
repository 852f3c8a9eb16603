/// Where a part of the platform runs, by the names that the SDK gives them.
enum Geography: String, CaseIterable, Codable, Shown {
  case northAmerica = "NorthAmerica"
  case europe = "Europe"
  case canada = "Canada"
  case australia = "Australia"
  case singapore = "Singapore"
  case asiaPacific = "AsiaPacific"

  /// The two characters that a pairing key of it begins with, and the platform's own code of the region.
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
