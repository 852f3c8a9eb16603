/// Where a part of the platform runs, by the names that the SDK gives them.
enum Geography: String, CaseIterable, Codable {
  case northAmerica = "NorthAmerica"
  case europe = "Europe"
  case canada = "Canada"
  case australia = "Australia"
  case singapore = "Singapore"
  case asiaPacific = "AsiaPacific"

  /// The two characters that a pairing key of this geography begins with.
  var prefix: String {
    switch self {
    case .northAmerica: "01"
    case .europe: "02"
    case .canada: "03"
    case .australia: "04"
    case .singapore: "05"
    case .asiaPacific: "06"
    }
  }

  /// The platform's own code of the region.
  var regionCode: String {
    switch self {
    case .northAmerica: "NA"
    case .europe: "EU"
    case .canada: "CA"
    case .australia: "AU"
    case .singapore: "SG"
    case .asiaPacific: "AP"
    }
  }

  /// The geography whose pairing keys begin like this one.
  init?(pairingKey: String) {
    guard let found = Self.allCases.first(where: { pairingKey.hasPrefix($0.prefix) }) else { return nil }
    self = found
  }

  /// The geography of a region code.
  init?(regionCode: String) {
    guard let found = Self.allCases.first(where: { $0.regionCode == regionCode }) else { return nil }
    self = found
  }
}
