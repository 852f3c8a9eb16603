import JSON
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
  private static func written(capacity: Int = 512, _ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(capacity: capacity)
    write(&writer)
    return String(decoding: writer.finish(), as: UTF8.self)
  }

  @Test("commas are only between members and between elements")
  func commas() {
    let (a, b) = (JSONWriter.Name("a"), JSONWriter.Name("b \"quoted\""))
    let text = Self.written { writer in
      writer.openObject()
      writer.name(a)
      writer.write("{")
      writer.name(b)
      writer.openObject()
      writer.name(a)
      writer.openArray()
      for number in [1, 23, -4] {
        writer.beginElement()
        writer.write(number)
      }
      writer.closeArray()
      writer.name(a)
      writer.openArray()
      writer.beginElement()
      writer.openArray()
      writer.closeArray()
      for text in ["[", ""] {
        writer.beginElement()
        writer.write(text)
      }
      writer.closeArray()
      writer.closeObject()
      writer.name(a)
      writer.write(["x": [true, .null]] as JSON)
      writer.name(a)
      writer.write(raw: Array("[{}]".utf8))
      writer.closeObject()
    }
    #expect(
      text == #"{"a":"{","b \"quoted\"":{"a":[1,23,-4],"a":[[],"[",""]},"a":{"x":[true,null]},"a":[{}]}"#
    )
  }

  @Test("output does not depend on the initial capacity", arguments: [0, 1, 7, 4096])
  func room(capacity: Int) throws {
    let texts = ["", "plain", "Zoë 👩‍💻", "\"\\\n\r\t\u{0}\u{1f}\u{7f}", String(repeating: "long ", count: 500)]
    let text = Self.written(capacity: capacity) { writer in
      writer.openArray()
      for text in texts {
        writer.beginElement()
        writer.write(text)
      }
      writer.closeArray()
    }
    #expect(try JSON(parsing: text) == .strings(texts))
    #expect(text == JSON.strings(texts).text)
    #expect(Self.written(capacity: capacity) { _ in } == "")
  }

  @Test("integers of every size are written exactly", arguments: [0, 9, 10, -1, Int.max, Int.min])
  func integers(number: Int) throws {
    #expect(Self.written { $0.write(number) } == "\(number)")
  }

  @Test("length is the number of bytes written so far")
  func length() {
    var writer = JSONWriter(capacity: 4)
    for count in 1...100 {
      writer.write(true)
      #expect(writer.length == 4 * count)
    }
    #expect(writer.finish().count == 400)
  }
}
