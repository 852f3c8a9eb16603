package import ControlAPI
package import JSON
package import Vault

// How users lie in the database, which is not how the interface or a platform writes them.

extension User {
  package var stored: JSON {
    var object: JSONObject = ["id": .string(id)]
    object["username"] = username.map { .string($0) }
    object["email"] = email.map { .string($0) }
    object["given"] = name?.given.map { .string($0) }
    object["family"] = name?.family.map { .string($0) }
    return .object(object)
  }

  package init?(stored json: JSON) {
    guard let id = json["id"]?.string else { return nil }
    self.init(
      id: id,
      username: json["username"]?.string,
      email: json["email"]?.string,
      given: json["given"]?.string,
      family: json["family"]?.string
    )
  }
}

extension DataKey {
  package func seal(_ user: User, as label: SealLabel) throws -> [UInt8] {
    try seal(user.stored.serialized, as: label)
  }

  package func openUser(_ sealed: [UInt8], as label: SealLabel) throws -> User {
    guard let user = User(stored: try JSON(parsing: open(sealed, as: label))) else {
      throw SealingError.damaged
    }
    return user
  }
}
