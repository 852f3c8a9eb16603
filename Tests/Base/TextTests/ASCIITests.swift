import Testing
import Text

@Suite("Letters and digits")
struct ASCIITests {
  @Test("of all bytes those are letters and digits that ASCII has, and none of a longer character")
  func everyByte() {
    let bytes = UInt8.min...UInt8.max
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    #expect(bytes.filter(\.isASCIILetter) == Array(letters.utf8))
    #expect(bytes.filter(\.isASCIIDigit) == Array("0123456789".utf8))
    #expect(bytes.filter(\.isASCIILetterOrDigit) == Array(("0123456789" + letters).utf8))
  }
}
