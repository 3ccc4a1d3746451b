      * JSON GENERATE and XML GENERATE: tables, SUPPRESS, CONVERTING,
      * edited and floating-point items, attributes. Values by the
      * Language Reference.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GENDOC.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 BUF PIC X(600).
       01 LEN PIC 9(5).
       01 ORD.
          05 ORDER-ID  PIC X(6) VALUE 'A"1\B'.
          05 AMT       PIC S9(5)V99 COMP-3 VALUE -10.50.
          05 QTY       PIC 9(3) VALUE 7.
          05 RATE      COMP-2 VALUE 1.5.
          05 EDT       PIC Z,ZZ9.99 VALUE '1,234.50'.
          05 NL        PIC 9(2) VALUE 2.
          05 BLANKS    PIC X(4) VALUE SPACES.
          05 ZZZ       PIC 9(4) VALUE 0.
          05 RED REDEFINES ZZZ.
             10 R1 PIC X(4).
          05 FLAG      PIC X VALUE 'Y'.
             88 IS-ON  VALUE 'Y'.
          05 LINES1 OCCURS 3.
             10 SKU    PIC X(4).
             10 PRC    PIC 9(3)V9.
             10 SUBT OCCURS 2 PIC 9.
          05 FILLER PIC X(3) VALUE 'FFF'.
       01 T1.
          05 CT PIC 9 VALUE 2.
          05 IT OCCURS 1 TO 5 DEPENDING ON CT.
             10 NM PIC X(3) VALUE 'abc'.
       PROCEDURE DIVISION.
           MOVE 'S1' TO SKU(1) MOVE 1.5 TO PRC(1)
           MOVE 'S2' TO SKU(2) MOVE 22 TO PRC(2)
           MOVE SPACES TO SKU(3) MOVE 0 TO PRC(3)
           MOVE 1 TO SUBT(1 1) SUBT(1 2) SUBT(2 1) SUBT(2 2)
           MOVE 0 TO SUBT(3 1) SUBT(3 2)
           MOVE SPACES TO BUF
           JSON GENERATE BUF FROM ORD COUNT IN LEN
              ON EXCEPTION DISPLAY 'EXC ' JSON-CODE
              NOT ON EXCEPTION DISPLAY LEN BUF(1:LEN) END-JSON
           MOVE SPACES TO BUF
           JSON GENERATE BUF FROM ORD COUNT IN LEN
              NAME OF ORDER-ID IS 'orderId' AMT IS 'amount'
              SUPPRESS BLANKS ZZZ EVERY NUMERIC WHEN ZEROES
              CONVERTING FLAG TO JSON BOOLEAN USING IS-ON
              ON EXCEPTION DISPLAY 'EXC ' JSON-CODE
              NOT ON EXCEPTION DISPLAY LEN BUF(1:LEN) END-JSON
           MOVE SPACES TO BUF
           JSON GENERATE BUF FROM T1 COUNT IN LEN END-JSON
           DISPLAY LEN BUF(1:LEN)
           MOVE SPACES TO BUF
           JSON GENERATE BUF FROM ORD COUNT IN LEN
              SUPPRESS EVERY NONNUMERIC WHEN SPACES LINES1
           END-JSON
           DISPLAY LEN BUF(1:LEN)
           MOVE SPACES TO BUF
           XML GENERATE BUF FROM ORD COUNT IN LEN WITH ATTRIBUTES
              SUPPRESS EVERY NUMERIC WHEN ZERO BLANKS WHEN SPACE
           END-XML
           DISPLAY LEN BUF(1:LEN)
           MOVE SPACES TO BUF
           XML GENERATE BUF FROM T1 COUNT IN LEN
              NAME OF IT IS 'item' TYPE OF NM IS CONTENT
           END-XML
           DISPLAY LEN BUF(1:LEN)
           GOBACK.
