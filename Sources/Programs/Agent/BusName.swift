internal import Bus

/// Who has a name on the bus.
enum BusName {
  private static let bus = "org.freedesktop.DBus"
  private static let change = "NameOwnerChanged"

  /// The rule by which changes of one name are heard.
  static func rule(for name: String) -> String {
    "type='signal',sender='\(bus)',interface='\(bus)',member='\(change)',arg0='\(name)'"
  }

  /// Whether a signal is the bus's word about a name.
  static func isChange(_ signal: BusSignal) -> Bool {
    signal.sender == bus && signal.interface == bus && signal.name == change
  }

  /// The unique name of who has a name now, empty for nobody, if the bus says with a signal that it has changed.
  static func owner(of name: String, _ signal: BusSignal) -> String? {
    guard isChange(signal), signal.values.count == 3, signal.values[0].string == name else { return nil }
    return signal.values[2].string
  }
}
