import Testing

@testable import OATHExports

@Suite("account names of exports", .timeLimit(.minutes(1)))
struct AccountNamesTests {
  @Test("the issuer in front of an account name is removed, in any case and number")
  func issuer() {
    for label in ["ann", "Ex:ann", "ex: EX:ann", "Ex:Ex:Ex:ann "] {
      #expect(AccountNames(issuer: "Ex", label: label).account == "ann", "\(label)")
    }
    #expect(AccountNames(issuer: "Ex", label: "Ex:").account == nil)
    #expect(AccountNames(issuer: "Ex", label: "Exx:ann").account == "Exx:ann")
    #expect(AccountNames(issuer: nil, label: "Ex:Ex:ann").account == "Ex:ann")
  }

  @Test("an issuer that is repeated a million times is removed in linear time")
  func repeated() {
    let label = String(repeating: "a:", count: 1_000_000) + "ann"
    #expect(AccountNames(issuer: "a", label: label).account == "ann")
  }
}
