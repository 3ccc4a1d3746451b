       IDENTIFICATION DIVISION.
       PROGRAM-ID. NUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  TXT PIC X(120).
       01  G.
           05  AMOUNT PIC S9(5)V99 COMP-3 VALUE 0.
           05  NAME-1 PIC X(5) VALUE SPACES.
           05  T PIC 9(2) OCCURS 3 VALUE 0.
           05  SHOWN PIC ZZ9.99-.
           05  FLAG PIC X VALUE '-'.
               88  IS-ON VALUE 'Y' WHEN SET TO FALSE 'N'.
       01  ED PIC -(5)9.99.
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE '{"g":{"amount":-12.5,"who":"Ann","T":[1,2,3],'
             TO TXT
           MOVE '"shown":-7,"flag":true}}' TO TXT(50:)
           JSON PARSE TXT INTO G NAME OF NAME-1 IS 'who'
               CONVERTING FLAG FROM JSON BOOLEAN USING IS-ON
               ON EXCEPTION DISPLAY 'EXCEPTION ' JSON-CODE
               NOT ON EXCEPTION DISPLAY 'PARSED ' JSON-STATUS
           END-JSON
           MOVE AMOUNT TO ED
           DISPLAY ED '/' NAME-1 '/' T(1) T(2) T(3) '/' SHOWN '/' FLAG
           MOVE '{"G":{"amount":1},"more":2}' TO TXT
           JSON PARSE TXT INTO G END-JSON
           DISPLAY JSON-CODE JSON-STATUS
           MOVE '{"G":' TO TXT
           JSON PARSE TXT INTO G ON EXCEPTION
               DISPLAY 'EXCEPTION ' JSON-CODE END-JSON
           GOBACK.
