import JSON

/// A report that a device sent for the support.
struct ReceivedLog: Stored {
  /// The support number, by which the device's owner names the report.
  let id: ID<ReceivedLog>
  let device: ID<TrustedDevice>
  let text: String

  /// How many are kept, the newest.
  static let maximumCount = 20
}

extension ReceivedLog: Recorded {
  static let kind = "received log"

  var record: JSON { ["id": .id(id), "device": .id(device), "text": .string(text)] }

  init?(_ record: Record) {
    guard let id = record.id("id", of: ReceivedLog.self),
      let device = record.id("device", of: TrustedDevice.self), let text = record.text("text")
    else { return nil }
    self.init(id: id, device: device, text: text)
  }
}
