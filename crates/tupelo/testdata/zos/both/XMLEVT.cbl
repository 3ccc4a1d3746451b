      * XML PARSE: the events of attributes, namespaces, CDATA,
      * references and processing instructions, and those of a
      * document that is not well formed.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. XMLEVT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 D PIC X(400).
       01 N PIC 9(3).
       PROCEDURE DIVISION.
           STRING '<?xml version="1.0"?><!-- c --><o:a xmlns:o="u" '
             'k="v&amp;1" m="">' 't&lt;<b/><![CDATA[x<y&z]]>'
             '<?pi data?>&#65;</o:a>' DELIMITED BY SIZE INTO D
           XML PARSE D PROCESSING PROCEDURE P-EV
             ON EXCEPTION DISPLAY 'EXC ' XML-CODE
             NOT ON EXCEPTION DISPLAY 'OK' END-XML
           MOVE '<a><b>1</a>' TO D
           XML PARSE D PROCESSING PROCEDURE P-EV
             ON EXCEPTION DISPLAY 'EXC' END-XML
           DISPLAY 'CODE ' XML-CODE
           GOBACK.
       P-EV.
           DISPLAY XML-EVENT '|' XML-TEXT '|' XML-NAMESPACE-PREFIX.
