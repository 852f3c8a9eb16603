package import ControlAPI
package import JSON

extension User {
  /// A user as a platform or a token describes them, in either of the shapes that PingOne uses.
  ///
  /// The id must be one that can stand in a path; texts are made fit to be shown.
  package init?(platform json: JSON) {
    guard let id = json["id"]?.string ?? json["userId"]?.string, PlatformID.isValid(id) else { return nil }
    let name = json["name"] ?? json
    let clean = { (text: String?) in text.map { SafeText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 } }
    self.init(
      id: id,
      username: clean(json["username"]?.string),
      email: clean(json["email"]?.string),
      given: clean(name["given"]?.string),
      family: clean(name["family"]?.string)
    )
  }
}

/// An id that a platform gave and that stands in the paths of requests.
package enum PlatformID {
  /// Whether a text matches `^[A-Za-z0-9._-]{1,64}$` and is no relative segment.
  package static func isValid(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
