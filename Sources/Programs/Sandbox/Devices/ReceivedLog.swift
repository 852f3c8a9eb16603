struct ReceivedLog: Stored, Codable {
  let id: ID<ReceivedLog>
  let device: ID<TrustedDevice>
  let text: String

  static let maximumCount = 20
}
