struct ReceivedLog: Stored, Codable {
  /// The support number, by which the device's owner names the report.
  let id: ID<ReceivedLog>
  let device: ID<TrustedDevice>
  let text: String

  /// How many are kept, the newest.
  static let maximumCount = 20
}
