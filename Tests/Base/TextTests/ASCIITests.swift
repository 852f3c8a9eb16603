import Testing
import Text

@Suite("Letters and digits")
struct ASCIITests {
  @Test("only ASCII letters and digits are recognised among all 256 bytes")
  func everyByte() {
    let bytes = UInt8.min...UInt8.max
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    #expect(bytes.filter(\.isASCIILetter) == Array(letters.utf8))
    #expect(bytes.filter(\.isASCIIDigit) == Array("0123456789".utf8))
    #expect(bytes.filter(\.isASCIILetterOrDigit) == Array(("0123456789" + letters).utf8))
  }
}
