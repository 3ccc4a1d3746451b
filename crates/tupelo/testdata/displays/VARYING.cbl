       IDENTIFICATION DIVISION.
       PROGRAM-ID. NUM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  N PIC 9 VALUE 2.
       01  G.
           05  Rows OCCURS 0 TO 4 DEPENDING ON N.
               10  A PIC X.
               10  B PIC 9 COMP.
           05  FILLER PIC XX VALUE '??'.
           05  Last-One PIC X(3) VALUE 'END'.
           05  FLAG PIC X VALUE 'Y'.
               88  IS-ON VALUE 'Y' 'T' WHEN SET TO FALSE 'N'.
       01  BUF PIC X(200).
       01  LEN PIC S9(4) COMP.
       PROCEDURE DIVISION.
       MAIN-PARA.
           MOVE 'a' TO A(1) MOVE 1 TO B(1)
           MOVE 'b' TO A(2) MOVE 2 TO B(2)
           MOVE 'END' TO Last-One SET IS-ON TO TRUE
           JSON GENERATE BUF FROM G COUNT IN LEN
               CONVERTING FLAG TO JSON BOOLEAN USING IS-ON
           END-JSON
           DISPLAY BUF(1:LEN)
           MOVE 0 TO N MOVE 'END' TO Last-One SET IS-ON TO TRUE
           XML GENERATE BUF FROM G COUNT IN LEN
               WITH XML-DECLARATION END-XML
           DISPLAY BUF(1:LEN)
           GOBACK.
