      * A program that ends itself abnormally as before Language Environment.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABOLD.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ABCODE          PIC S9(4) COMP VALUE 1234.
       PROCEDURE DIVISION.
       MAIN-LINE.
           DISPLAY 'before'
           CALL 'ILBOABN0' USING ABCODE
           DISPLAY 'never here'
           GOBACK.
