package import ControlAPI
package import JSON
internal import Text

extension User {
  /// A user as a platform describes them, in either of the shapes that PingOne uses; the id must be one that can stand
  /// in a path.
  package init?(platform json: JSON) {
    guard let id = json["id"]?.string ?? json["userId"]?.string, id.isIdentifier else { return nil }
    self.init(id: id, describedBy: json)
  }

  /// A user of that id, with texts that are made fit to be shown.
  init(id: String, describedBy json: JSON) {
    let name = json["name"] ?? json
    let clean = { (text: String?) in text.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 } }
    self.init(
      id: id,
      username: clean(json["username"]?.string),
      email: clean(json["email"]?.string),
      given: clean(name["given"]?.string),
      family: clean(name["family"]?.string)
    )
  }
}
