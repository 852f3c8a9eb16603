internal import ControlAPI
internal import JSON
internal import Text
internal import Time

extension UserDevice {
  /// A device as PingOne describes it; `nil` if it has no id that requests could name it by.
  init?(pingOne json: JSON) {
    guard let id = json["id"]?.string, id.isIdentifier, let type = json["type"]?.string else { return nil }
    self.init(
      id: id,
      type: DisplayText.clean(type, maximum: 64),
      status: DisplayText.clean(json["status"]?.string ?? "", maximum: 64),
      nickname: (json["nickname"]?.string).flatMap { DisplayText.trimmed($0) },
      createdAt: (json["createdAt"]?.string).flatMap { Timestamp(text: $0) }
    )
  }

  var isPasscodeDevice: Bool { type == "TOTP" }
  var isActive: Bool { status == "ACTIVE" }
}
