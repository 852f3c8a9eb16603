/// A geography of PingOne, by the name that the native SDK gives it.
package enum Geography: String, CaseIterable, Sendable, Hashable {
  case northAmerica = "NorthAmerica"
  case europe = "Europe"
  case australia = "Australia"
  case canada = "Canada"
  case singapore = "Singapore"
  case asiaPacific = "AsiaPacific"
}
