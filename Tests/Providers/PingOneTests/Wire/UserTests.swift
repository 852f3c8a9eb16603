import ControlAPI
import JSON
import PingOne
import Testing

@Suite("users in platform responses")
struct UserTests {
  @Test("both of PingOne's user formats are parsed")
  func shapes() {
    let nested: JSON = [
      "id": "u-1", "username": "ann", "email": "a@b.c", "name": ["given": "Ann", "family": "Lee"],
    ]
    let flat: JSON = [
      "userId": "u-1", "username": "ann", "email": "a@b.c", "given": "Ann", "family": "Lee",
    ]
    let ann = User(id: "u-1", username: "ann", email: "a@b.c", given: "Ann", family: "Lee")
    #expect(User(platform: nested) == ann)
    #expect(User(platform: flat) == ann)
    #expect(User(platform: ann.json) == ann)
    #expect(User(platform: ["id": "u-1"]) == User(id: "u-1"))
  }

  @Test("a user without a valid id is rejected, and invalid texts are omitted")
  func refused() {
    for id in ["", "a/b", "..", "a b", "ü", .null, 7, ["x"]] as [JSON] {
      #expect(User(platform: ["id": id]) == nil, "\(id.text)")
    }
    #expect(User(platform: "u-1") == nil)
    let odd: JSON = ["id": "u-1", "username": "\u{202E}", "email": 7, "name": ["given": ["x"]]]
    #expect(User(platform: odd) == User(id: "u-1"))
  }

  @Test("control characters are removed from texts of a user")
  func cleaned() {
    let user = User(platform: ["id": "u", "username": "a\u{202E}b\u{1B}[31m\n"])
    #expect(user?.username == "ab[31m")
  }
}
