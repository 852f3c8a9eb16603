import Glibc
import Machine
import Testing

@Suite("User namespaces")
struct UserNamespaceTests {
  @Test(
    "only a user namespace other than the initial one has an overflow uid",
    arguments: [
      ("         0          0 4294967295\n", nil), ("1000 1000 1\n", 65534), ("0 1000 1\n", 65534),
      ("", 65534),
    ] as [(String, uid_t?)]
  )
  func outsiders(map: String, overflowUserID: uid_t?) {
    #expect(UserNamespace.overflowUserID(map: map) == overflowUserID)
  }
}
