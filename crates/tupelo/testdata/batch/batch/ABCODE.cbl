      * A program that ends itself abnormally.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABCODE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ABCODE          PIC S9(9) COMP VALUE 777.
       01  TIMING          PIC S9(9) COMP VALUE 0.
       PROCEDURE DIVISION.
       MAIN-LINE.
           DISPLAY 'before'
           CALL 'CEE3ABD' USING ABCODE TIMING
           DISPLAY 'never here'
           GOBACK.
